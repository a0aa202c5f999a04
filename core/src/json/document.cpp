#include "json/document.h"

#include <cmath>

namespace patchbay::core::json {
namespace {

// Beyond 2^53 a double does not identify one integer.
constexpr double kExactIntegers = 9007199254740992.0;

bool equal_objects(const Node& a, const Node& b) noexcept {
  for (uint32_t i = 0; i < a.size(); ++i) {
    const Node* other = b.find(a.member(i)->key);
    if (!other || !equal(a.member(i)->value, *other)) return false;
  }
  return true;
}

bool equal_arrays(const Node& a, const Node& b) noexcept {
  for (uint32_t i = 0; i < a.size(); ++i)
    if (!equal(*a.element(i), *b.element(i))) return false;
  return true;
}

}  // namespace

const char* type_name(Type type) noexcept {
  switch (type) {
    case Type::null:
      return "null";
    case Type::boolean:
      return "true or false";
    case Type::number:
      return "a number";
    case Type::string:
      return "a string";
    case Type::array:
      return "an array";
    case Type::object:
      return "an object";
  }
  return "unknown";
}

const Node* Node::element(uint32_t index) const noexcept {
  return is(Type::array) && index < size_ ? as_.elements + index : nullptr;
}

const Member* Node::member(uint32_t index) const noexcept {
  return is(Type::object) && index < size_ ? as_.members + index : nullptr;
}

const Node* Node::find(std::string_view key) const noexcept {
  if (!is(Type::object)) return nullptr;
  for (const Member *m = as_.members, *end = m + size_; m != end; ++m)
    if (m->key == key) return &m->value;
  return nullptr;
}

std::string_view Node::string(std::string_view fallback) const noexcept {
  return is(Type::string) ? std::string_view(as_.text, size_) : fallback;
}

bool Node::boolean(bool fallback) const noexcept { return is(Type::boolean) ? as_.boolean : fallback; }

bool Node::is_integer() const noexcept {
  if (!is(Type::number)) return false;
  return exact_ || (std::abs(as_.number) <= kExactIntegers && std::trunc(as_.number) == as_.number);
}

int64_t Node::integer(int64_t fallback) const noexcept {
  if (!is_integer()) return fallback;
  return exact_ ? as_.integer : static_cast<int64_t>(as_.number);
}

double Node::number(double fallback) const noexcept {
  if (!is(Type::number)) return fallback;
  return exact_ ? static_cast<double>(as_.integer) : as_.number;
}

bool equal(const Node& a, const Node& b) noexcept {
  if (a.type() != b.type()) return false;
  switch (a.type()) {
    case Type::null:
      return true;
    case Type::boolean:
      return a.boolean() == b.boolean();
    case Type::number:
      return a.is_integer() && b.is_integer() ? a.integer() == b.integer() : a.number() == b.number();
    case Type::string:
      return a.string() == b.string();
    case Type::array:
      return a.size() == b.size() && equal_arrays(a, b);
    case Type::object:
      return a.size() == b.size() && equal_objects(a, b);
  }
  return false;
}

}  // namespace patchbay::core::json
