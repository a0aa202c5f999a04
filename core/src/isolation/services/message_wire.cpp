#include "isolation/services/message_wire.h"

#include <patchbay/buffer.h>

#include <algorithm>

namespace patchbay::core::isolation {
namespace {

template <class T>
T load(const char* from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

void put_field(Encoder& out, uint32_t kind, const char* from, HandleTranslator& handles) {
  if (kind == PB_FIELD_STR) {
    out.str(from_abi(load<pb_str>(from)));
  } else if (kind == PB_FIELD_BUF) {
    const auto* buf = load<const pb_buf*>(from);
    out.u32(buf != nullptr ? 1 : 0);
    if (buf != nullptr) out.str({reinterpret_cast<const char*>(buf->data), buf->len});
  } else if (kind == PB_FIELD_HANDLE) {
    const auto handle = load<uint64_t>(from);
    out.u64(handle == 0 ? 0 : handles.outgoing(handle));
  } else {
    out.u64(load<uint64_t>(from));
  }
}

}  // namespace

void put_message(Encoder& out, const pb_shape& shape, const pb_message* message, HandleTranslator& handles) {
  if (message == nullptr) {
    out.u32(0);
    return;
  }
  const uint32_t size = std::min(message->size, shape.struct_size);
  out.u32(size);
  for (uint32_t i = 0; i < shape.field_count; ++i) {
    const pb_field& field = *shape.fields[i];
    if (field.offset + field_width(field.kind) > size) continue;
    put_field(out, field.kind, reinterpret_cast<const char*>(message) + field.offset, handles);
  }
}

OwnedMessage get_message(Decoder& in, const pb_shape& shape, HandleTranslator& handles) {
  OwnedMessage message;
  const uint32_t size = std::min(in.u32(), shape.struct_size);
  if (size < sizeof(pb_message)) return message;
  message.bytes_.assign(size, '\0');
  const pb_message head{size, 0};
  std::memcpy(message.bytes_.data(), &head, sizeof head);
  for (uint32_t i = 0; i < shape.field_count; ++i) {
    const pb_field& field = *shape.fields[i];
    if (field.offset + field_width(field.kind) > size) continue;
    char* to = message.bytes_.data() + field.offset;
    if (field.kind == PB_FIELD_STR) {
      const pb_str text = to_abi(message.strings_.emplace_back(in.str()));
      std::memcpy(to, &text, sizeof text);
    } else if (field.kind == PB_FIELD_BUF) {
      if (in.u32() == 0) continue;
      pb_buf* buf = message.buffers_.emplace_back(Buffer::copy(in.str())).get();
      if (buf == nullptr) in.fail();  // no memory; an empty body would pass for the real body
      std::memcpy(to, &buf, sizeof buf);
    } else {
      uint64_t value = in.u64();
      if (field.kind == PB_FIELD_HANDLE && value != 0) value = handles.incoming(value);
      std::memcpy(to, &value, sizeof value);
    }
  }
  return message;
}

}  // namespace patchbay::core::isolation
