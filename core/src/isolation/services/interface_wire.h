// Interfaces in frames: ids, methods, and the field tables by which their messages are copied.
#pragma once

#include <patchbay/abi/services.h>
#include <patchbay/str.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "isolation/frame.h"

namespace patchbay::core::isolation {

void put_interface(Encoder& out, const pb_interface& interface);

// The interfaces of one plugin: those that its manifest provides, and those that it has described, in all
// runs of its process.
class InterfaceShare {
 public:
  explicit InterfaceShare(std::vector<std::string> provides) : provides_(std::move(provides)) {}
  bool provides(std::string_view id) const {
    return std::find(provides_.begin(), provides_.end(), id) != provides_.end();
  }

 private:
  friend struct Described get_interface(Decoder& in, InterfaceShare& share);
  const std::vector<std::string> provides_;
  std::unordered_set<const pb_interface*> described_;
  size_t described_bytes_ = 0;
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
