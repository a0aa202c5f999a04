// Copies of what crosses the boundary: strings for the core, buffers for a plugin.
#pragma once

#include <patchbay/buffer.h>

#include <string>
#include <string_view>

namespace patchbay::core {

inline std::string copied(pb_str text) { return std::string(from_abi(text)); }

// The plugin releases the buffer. NULL: there is no memory for it.
inline pb_buf* copied_buffer(std::string_view bytes) {
  const Buffer buffer = Buffer::copy(bytes);
  if (buffer.get() != nullptr) buffer.get()->ops->retain(buffer.get());
  return buffer.get();
}

}  // namespace patchbay::core
