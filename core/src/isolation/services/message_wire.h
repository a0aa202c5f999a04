// Messages in frames. Only the field tables of abi/services.h are known here, no interface.
#pragma once

#include <patchbay/abi/services.h>
#include <patchbay/str.h>

#include <deque>
#include <string>
#include <vector>

#include "isolation/frame.h"

namespace patchbay::core::isolation {

// Translates the handles in a message: of instances, ports, transactions.
class HandleTranslator {
 public:
  // Return the handle to send, and the handle to pass on, in place of the given one.
  virtual uint64_t outgoing(uint64_t handle) = 0;
  virtual uint64_t incoming(uint64_t handle) = 0;

 protected:
  ~HandleTranslator() = default;
};

// A message that arrived; owns strings and buffers. get() is NULL where none was sent.
class OwnedMessage {
 public:
  const pb_message* get() const noexcept {
    return bytes_.empty() ? nullptr : reinterpret_cast<const pb_message*>(bytes_.data());
  }

 private:
  friend OwnedMessage get_message(Decoder& in, const pb_shape& shape, HandleTranslator& handles);
  std::vector<char> bytes_;
  std::deque<std::string> strings_;
  std::vector<Buffer> buffers_;
};

// Copies strings and buffers. Leaves out what lies beyond `shape`.
void put_message(Encoder& out, const pb_shape& shape, const pb_message* message, HandleTranslator& handles);
OwnedMessage get_message(Decoder& in, const pb_shape& shape, HandleTranslator& handles);

// The bytes that a field of that kind takes in its struct.
constexpr uint32_t field_width(uint32_t kind) { return kind == PB_FIELD_STR ? 16 : 8; }

}  // namespace patchbay::core::isolation
