#include "json/builder.h"

#include <cassert>
#include <cstring>
#include <type_traits>

namespace patchbay::core::json {

static_assert(std::is_trivially_destructible_v<Member>, "the arena runs no destructors");

Builder::Builder(size_t expected_bytes) {
  constexpr size_t kUsualDepth = 8, kUsualValues = 16;
  document_.arena_ = std::make_unique<Arena>(expected_bytes);
  open_.reserve(kUsualDepth);
  stack_.reserve(kUsualValues);
}

std::string_view Builder::keep(std::string_view text) {
  if (text.empty()) return "";
  auto* copy = static_cast<char*>(document_.arena_->allocate(text.size(), 1));
  std::memcpy(copy, text.data(), text.size());
  return {copy, text.size()};
}

void Builder::begin(Type type) {
  open_.push_back({type, stack_.size(), origin_, key_});
  origin_ = 0;
  key_ = {};
}

void Builder::add(Node node, Type type) {
  node.type_ = type;
  node.origin_ = origin_;
  origin_ = 0;
  stack_.push_back({node, std::exchange(key_, {})});
}

void Builder::end() {
  assert(!open_.empty());
  const Open open = open_.back();
  const size_t count = stack_.size() - open.first;
  Node node;
  node.size_ = static_cast<uint32_t>(count);
  if (open.type == Type::object) {
    auto* members = static_cast<Member*>(document_.arena_->allocate(sizeof(Member) * count, alignof(Member)));
    std::uninitialized_copy(stack_.begin() + static_cast<ptrdiff_t>(open.first), stack_.end(), members);
    node.as_.members = members;
  } else {
    auto* elements = static_cast<Node*>(document_.arena_->allocate(sizeof(Node) * count, alignof(Node)));
    for (size_t i = 0; i < count; ++i) new (elements + i) Node(stack_[open.first + i].value);
    node.as_.elements = elements;
  }
  stack_.resize(open.first);
  open_.pop_back();
  key_ = open.key;
  origin_ = open.origin;
  add(node, open.type);
}

void Builder::key(std::string_view name) { key_ = keep(name); }

std::string_view Builder::name() const noexcept {
  if (!key_.empty()) return key_;
  for (auto at = open_.rbegin(); at != open_.rend() && at->type == Type::array; ++at)
    if (!at->key.empty()) return at->key;
  return {};
}

void Builder::boolean(bool value) {
  Node node;
  node.as_.boolean = value;
  add(node, Type::boolean);
}

void Builder::integer(int64_t value) {
  Node node;
  node.exact_ = true;
  node.as_.integer = value;
  add(node, Type::number);
}

void Builder::number(double value) {
  Node node;
  node.as_.number = value;
  add(node, Type::number);
}

void Builder::string(std::string_view value) {
  const std::string_view kept = keep(value);
  Node node;
  node.size_ = static_cast<uint32_t>(kept.size());
  node.as_.text = kept.data();
  add(node, Type::string);
}

void Builder::copy(const Node& node, bool origins) {
  origin_ = origins ? node.origin() : 0;
  switch (node.type()) {
    case Type::string:
      return string(node.string());
    case Type::array:
      begin_array();
      for (uint32_t i = 0; i < node.size(); ++i) copy(*node.element(i), origins);
      return end();
    case Type::object:
      begin_object();
      for (uint32_t i = 0; i < node.size(); ++i) {
        key(node.member(i)->key);
        copy(node.member(i)->value, origins);
      }
      return end();
    default:
      return add(node, node.type());
  }
}

Document Builder::empty_object() {
  Builder builder;
  builder.begin_object();
  builder.end();
  return builder.finish();
}

Document Builder::finish() {
  assert(open_.empty() && stack_.size() == 1);
  document_.root_ = stack_.front().value;
  return std::move(document_);
}

}  // namespace patchbay::core::json
