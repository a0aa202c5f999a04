// Interfaces in frames: ids, methods, and the field tables by which their messages are copied.
#pragma once

#include <patchbay/abi/services.h>
#include <patchbay/str.h>

#include <unordered_set>

#include "isolation/frame.h"

namespace patchbay::core::isolation {

void put_interface(Encoder& out, const pb_interface& interface);

// The interfaces that one plugin has described, in all runs of its process.
class InterfaceShare {
 private:
  friend struct Described get_interface(Decoder& in, InterfaceShare& share);
  std::unordered_set<const pb_interface*> described_;
};

// An interface read from a frame, as a table that the core uses like a compiled one. Kept for the
// life of the process, one per content, because the core may hold a message described by it after its
// instance was withdrawn. NULL when it is invalid, or when the plugin's share is used up.
struct Described {
  const pb_interface* interface = nullptr;
  bool invalid = false;
};
Described get_interface(Decoder& in, InterfaceShare& share);

}  // namespace patchbay::core::isolation
