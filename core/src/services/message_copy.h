// Copies the messages of service calls, following their field tables, so that they outlive the call that
// passed them.
#pragma once

#include <patchbay/abi/services.h>

#include <memory>

namespace patchbay::core {

// A message with copies of its strings and references to its buffers. Immutable; movable; any thread.
class MessageCopy {
 public:
  MessageCopy() = default;
  // Copies `message`, which is laid out as `shape` says. Leaves out fields beyond the size that it states.
  // NULL gives a copy whose get() is NULL.
  static MessageCopy of(const pb_shape& shape, const pb_message* message);

  MessageCopy(MessageCopy&& other) noexcept;
  MessageCopy& operator=(MessageCopy&& other) noexcept;
  ~MessageCopy();

  // The memory that it holds, including the buffers that it references.
  size_t bytes() const noexcept { return held_; }
  const pb_message* get() const noexcept { return reinterpret_cast<const pb_message*>(bytes_.get()); }

 private:
  const pb_shape* shape_ = nullptr;  // borrowed: interface tables are never unloaded
  std::unique_ptr<char[]> bytes_;
  size_t held_ = 0;
};

}  // namespace patchbay::core
