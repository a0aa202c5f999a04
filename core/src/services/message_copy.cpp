#include "services/message_copy.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace patchbay::core {
namespace {

constexpr uint32_t width(uint32_t kind) { return kind == PB_FIELD_STR ? sizeof(pb_str) : 8; }

// Calls f(field) for each field that lies wholly inside `size`.
template <class F>
void each_field(const pb_shape& shape, uint32_t size, F f) {
  for (uint32_t i = 0; i < shape.field_count; ++i) {
    const pb_field& field = *shape.fields[i];
    if (field.offset + width(field.kind) <= size) f(field);
  }
}

template <class T>
T load(const char* bytes, uint32_t offset) {
  T value;
  // NOLINTNEXTLINE(bugprone-sizeof-expression): T may well be a pointer
  std::memcpy(&value, bytes + offset, sizeof value);
  return value;
}

}  // namespace

MessageCopy MessageCopy::of(const pb_shape& shape, const pb_message* message) {
  MessageCopy copy;
  if (message == nullptr) return copy;
  const auto* from = reinterpret_cast<const char*>(message);
  const uint32_t size = std::max<uint32_t>(std::min(message->size, shape.struct_size), sizeof(pb_message));
  size_t text = 0;
  each_field(shape, size, [&](const pb_field& field) {
    if (field.kind == PB_FIELD_STR) text += load<pb_str>(from, field.offset).len;
  });

  copy.shape_ = &shape;
  copy.bytes_.reset(new char[size + text]);
  copy.held_ = size + text;
  char* to = copy.bytes_.get();
  std::memcpy(to, from, size);
  const pb_message head{size, 0};
  std::memcpy(to, &head, sizeof head);
  char* heap = to + size;
  each_field(shape, size, [&](const pb_field& field) {
    if (field.kind == PB_FIELD_STR) {
      pb_str value = load<pb_str>(from, field.offset);
      if (value.len > 0) std::memcpy(heap, value.data, value.len);
      value.data = heap;
      heap += value.len;
      std::memcpy(to + field.offset, &value, sizeof value);
    } else if (field.kind == PB_FIELD_BUF) {
      auto* buf = load<pb_buf*>(from, field.offset);
      if (buf == nullptr) return;
      buf->ops->retain(buf);
      copy.held_ += buf->len;
    }
  });
  return copy;
}

MessageCopy::MessageCopy(MessageCopy&& other) noexcept
    : shape_(std::exchange(other.shape_, nullptr)),
      bytes_(std::move(other.bytes_)),
      held_(std::exchange(other.held_, 0)) {}

MessageCopy& MessageCopy::operator=(MessageCopy&& other) noexcept {
  std::swap(shape_, other.shape_);
  std::swap(bytes_, other.bytes_);
  std::swap(held_, other.held_);
  return *this;
}

MessageCopy::~MessageCopy() {
  if (!bytes_) return;
  each_field(*shape_, get()->size, [&](const pb_field& field) {
    if (field.kind != PB_FIELD_BUF) return;
    auto* buf = load<pb_buf*>(bytes_.get(), field.offset);
    if (buf != nullptr) buf->ops->release(buf);
  });
}

}  // namespace patchbay::core
