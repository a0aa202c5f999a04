#include "message_wire.h"

#include <patchbay/buffer.h>

#include <algorithm>
#include <mutex>

namespace patchbay::isolated {
namespace {

constexpr uint32_t kMostFields = 64;
constexpr uint32_t kMostMethods = 64;
constexpr uint32_t kMostBytes = 4096;  // of a struct

constexpr uint32_t width(uint32_t kind) { return kind == PB_FIELD_STR ? 16 : 8; }
constexpr bool known(uint32_t kind) { return kind >= PB_FIELD_INT && kind <= PB_FIELD_HANDLE; }

template <class T>
T load(const char* from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

void put_field(Encoder& out, uint32_t kind, const char* from) {
  if (kind == PB_FIELD_STR) {
    out.str(from_abi(load<pb_str>(from)));
  } else if (kind == PB_FIELD_BUF) {
    const auto* buf = load<const pb_buf*>(from);
    out.u32(buf != nullptr ? 1 : 0);
    if (buf != nullptr) out.str({reinterpret_cast<const char*>(buf->data), buf->len});
  } else {
    out.u64(load<uint64_t>(from));
  }
}

}  // namespace

void put_message(Encoder& out, const pb_shape& shape, const pb_message* message) {
  if (message == nullptr) {
    out.u32(0);
    return;
  }
  const uint32_t size = std::min(message->size, shape.struct_size);
  out.u32(size);
  for (uint32_t i = 0; i < shape.field_count; ++i) {
    const pb_field& field = *shape.fields[i];
    if (field.offset + width(field.kind) > size) continue;
    put_field(out, field.kind, reinterpret_cast<const char*>(message) + field.offset);
  }
}

OwnedMessage get_message(Decoder& in, const pb_shape& shape) {
  OwnedMessage message;
  const uint32_t size = std::min(in.u32(), shape.struct_size);
  if (size < sizeof(pb_message)) return message;
  message.bytes_.assign(size, '\0');
  const pb_message head{size, 0};
  std::memcpy(message.bytes_.data(), &head, sizeof head);
  for (uint32_t i = 0; i < shape.field_count; ++i) {
    const pb_field& field = *shape.fields[i];
    if (field.offset + width(field.kind) > size) continue;
    char* to = message.bytes_.data() + field.offset;
    if (field.kind == PB_FIELD_STR) {
      const pb_str text = to_abi(message.strings_.emplace_back(in.str()));
      std::memcpy(to, &text, sizeof text);
    } else if (field.kind == PB_FIELD_BUF) {
      if (in.u32() == 0) continue;
      pb_buf* buf = message.buffers_.emplace_back(Buffer::copy(in.str())).get();
      std::memcpy(to, &buf, width(PB_FIELD_BUF));
    } else {
      const uint64_t value = in.u64();
      std::memcpy(to, &value, sizeof value);
    }
  }
  return message;
}

namespace {

void put_shape(Encoder& out, const pb_shape& shape) {
  out.u32(shape.struct_size).u32(shape.field_count);
  for (uint32_t i = 0; i < shape.field_count; ++i) {
    const pb_field& field = *shape.fields[i];
    out.u32(field.kind).u32(field.offset).str(from_abi(field.name));
  }
}

}  // namespace

void put_interface(Encoder& out, const pb_interface& interface) {
  out.str(from_abi(interface.id)).u32(interface.method_count);
  for (uint32_t i = 0; i < interface.method_count; ++i) {
    const pb_method& method = *interface.methods[i];
    out.str(from_abi(method.name));
    put_shape(out, *method.request);
    put_shape(out, *method.reply);
  }
}

const pb_shape* OwnedInterface::read_shape(Decoder& in) {
  const uint32_t struct_size = in.u32();
  const uint32_t count = in.u32();
  if (struct_size < sizeof(pb_message) || struct_size > kMostBytes || count > kMostFields) return nullptr;
  auto& list = field_lists_.emplace_back();
  for (uint32_t i = 0; i < count; ++i) {
    pb_field field{sizeof(pb_field), in.u32(), in.u32(), 0, {}};
    field.name = to_abi(names_.emplace_back(in.str()));
    const bool inside = field.offset >= sizeof(pb_message) && field.offset % 8 == 0 &&
                        field.offset <= struct_size && width(field.kind) <= struct_size - field.offset;
    if (!known(field.kind) || !inside) return nullptr;
    list.push_back(&fields_.emplace_back(field));
  }
  return &shapes_.emplace_back(pb_shape{sizeof(pb_shape), struct_size, count, 0, list.data()});
}

const pb_interface* get_interface(Decoder& in) {
  auto read = std::make_unique<OwnedInterface>();
  read->table_.size = sizeof(pb_interface);
  read->table_.id = to_abi(read->names_.emplace_back(in.str()));
  const uint32_t count = in.u32();
  if (count > kMostMethods) return nullptr;
  for (uint32_t i = 0; i < count; ++i) {
    // No flags: an inline method of the other process cannot run on the caller's thread.
    pb_method method{sizeof(pb_method), 0, {}, nullptr, nullptr};
    method.name = to_abi(read->names_.emplace_back(in.str()));
    method.request = read->read_shape(in);
    method.reply = method.request != nullptr ? read->read_shape(in) : nullptr;
    if (method.reply == nullptr) return nullptr;
    read->method_list_.push_back(&read->methods_.emplace_back(method));
  }
  if (!in.ok()) return nullptr;
  read->table_.method_count = count;
  read->table_.methods = read->method_list_.data();

  static std::mutex mutex;
  static std::vector<std::unique_ptr<OwnedInterface>> kept;
  const std::lock_guard lock(mutex);
  return kept.emplace_back(std::move(read))->table();
}

void put_event(Encoder& out, const pb_event& event) {
  out.u32(event.flags)
      .i64(event.id)
      .i64(event.time_ms)
      .str(from_abi(event.topic))
      .str(from_abi(event.tenant));
  out.str(from_abi(event.subject)).str(from_abi(event.correlation)).str(from_abi(event.payload));
}

pb_event get_event(Decoder& in) {
  pb_event event{};
  event.size = sizeof event;
  event.flags = in.u32();
  event.id = in.i64();
  event.time_ms = in.i64();
  for (pb_str* text : {&event.topic, &event.tenant, &event.subject, &event.correlation, &event.payload})
    *text = to_abi(in.str());
  return event;
}

}  // namespace patchbay::isolated
