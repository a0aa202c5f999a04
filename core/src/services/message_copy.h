// Copies the messages of service calls, guided by their field tables, so that they outlive the call that
// brought them.
#pragma once

#include <patchbay/abi/services.h>

#include <memory>

namespace patchbay::core {

// A message with strings of its own and counted buffers. Immutable; movable; any thread.
class MessageCopy {
 public:
  MessageCopy() = default;
  // `message` is laid out as `shape` says, up to the size it states; what lies beyond is left out. NULL gives
  // NULL.
  static MessageCopy of(const pb_shape& shape, const pb_message* message);

  MessageCopy(MessageCopy&& other) noexcept;
  MessageCopy& operator=(MessageCopy&& other) noexcept;
  ~MessageCopy();

  // What it holds in memory, its share of counted buffers included.
  size_t bytes() const noexcept { return held_; }
  const pb_message* get() const noexcept { return reinterpret_cast<const pb_message*>(bytes_.get()); }

 private:
  const pb_shape* shape_ = nullptr;  // borrowed: interface tables are never unloaded
  std::unique_ptr<char[]> bytes_;
  size_t held_ = 0;
};

}  // namespace patchbay::core
