// Copies of what crosses the boundary: strings for the core, buffers for a plugin.
#pragma once

#include <patchbay/buffer.h>

#include <atomic>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace patchbay::core {

inline std::string copied(pb_str text) { return std::string(from_abi(text)); }

// The plugin releases the buffer. NULL: there is no memory for it.
inline pb_buf* copied_buffer(std::string_view bytes) {
  const Buffer buffer = Buffer::copy(bytes);
  if (buffer.get() != nullptr) buffer.get()->ops->retain(buffer.get());
  return buffer.get();
}

namespace detail {

// A pb_buf that borrows bytes of `owner`.
struct SharedBuffer {
  pb_buf base;
  std::atomic<uint32_t> count;
  std::shared_ptr<const void> owner;

  static SharedBuffer* of(pb_buf* buf) noexcept { return reinterpret_cast<SharedBuffer*>(buf); }
  static void retain(pb_buf* buf) noexcept { of(buf)->count.fetch_add(1, std::memory_order_relaxed); }
  static void release(pb_buf* buf) noexcept {
    if (of(buf)->count.fetch_sub(1, std::memory_order_acq_rel) == 1) delete of(buf);
  }
  // Never writable, because others read the bytes, too.
  static int32_t unique(const pb_buf*) noexcept { return 0; }
};

inline constexpr pb_buf_ops kSharedBufferOps{sizeof(pb_buf_ops), 0, &SharedBuffer::retain,
                                             &SharedBuffer::release, &SharedBuffer::unique};

}  // namespace detail

// A buffer with the bytes themselves, which live as long as `owner`. The caller releases it. `bytes` has at
// most 4 GiB.
inline pb_buf* shared_buffer(std::string_view bytes, std::shared_ptr<const void> owner) {
  const auto size = static_cast<uint32_t>(bytes.size());
  auto* data = reinterpret_cast<uint8_t*>(const_cast<char*>(bytes.data()));
  auto* buffer =
      new detail::SharedBuffer{{&detail::kSharedBufferOps, data, size, size}, {1}, std::move(owner)};
  return &buffer->base;
}

}  // namespace patchbay::core
