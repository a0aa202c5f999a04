// Messages, interfaces and events in frames. Only the field tables of abi/services.h are known here, no
// interface.
#pragma once

#include <patchbay/abi/bus.h>
#include <patchbay/abi/services.h>
#include <patchbay/str.h>

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "wire.h"

namespace patchbay::isolated {

// A message that arrived; owns strings and buffers. get() is NULL where none was sent.
class OwnedMessage {
 public:
  const pb_message* get() const noexcept {
    return bytes_.empty() ? nullptr : reinterpret_cast<const pb_message*>(bytes_.data());
  }

 private:
  friend OwnedMessage get_message(Decoder& in, const pb_shape& shape);
  std::vector<char> bytes_;
  std::deque<std::string> strings_;
  std::vector<Buffer> buffers_;
};

// Strings and buffers by copy, handles as the numbers they are. What lies beyond `shape` is left out.
void put_message(Encoder& out, const pb_shape& shape, const pb_message* message);
OwnedMessage get_message(Decoder& in, const pb_shape& shape);

// An interface that arrived. Its table looks to the core like one that a plugin's compiler has made.
class OwnedInterface {
 public:
  const pb_interface* table() const noexcept { return &table_; }

 private:
  friend const pb_interface* get_interface(Decoder& in);
  const pb_shape* read_shape(Decoder& in);

  std::deque<std::string> names_;
  std::deque<pb_field> fields_;
  std::deque<std::vector<const pb_field*>> field_lists_;
  std::deque<pb_shape> shapes_;
  std::deque<pb_method> methods_;
  std::vector<const pb_method*> method_list_;
  pb_interface table_{};
};

void put_interface(Encoder& out, const pb_interface& interface);
// NULL when it makes no sense. Kept for the life of the process: the core may hold a message by it after its
// instance was withdrawn.
const pb_interface* get_interface(Decoder& in);

void put_event(Encoder& out, const pb_event& event);
pb_event get_event(Decoder& in);  // borrows the frame

}  // namespace patchbay::isolated
