// Buffer::copy() and try_copy(): a pb_buf that is allocated by this side.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <string>

#include "str.h"

namespace patchbay {
namespace detail {

struct OwnedBuffer {
  pb_buf base;
  std::atomic<uint32_t> count;

  static OwnedBuffer* of(const pb_buf* buf) noexcept {
    return const_cast<OwnedBuffer*>(reinterpret_cast<const OwnedBuffer*>(buf));
  }
  static void retain(pb_buf* buf) noexcept { of(buf)->count.fetch_add(1, std::memory_order_relaxed); }
  static void release(pb_buf* buf) noexcept {
    if (of(buf)->count.fetch_sub(1, std::memory_order_acq_rel) == 1) std::free(of(buf));
  }
  static int32_t unique(const pb_buf* buf) noexcept {
    return of(buf)->count.load(std::memory_order_acquire) == 1 ? 1 : 0;
  }
};

inline constexpr pb_buf_ops kOwnedBufferOps{sizeof(pb_buf_ops), 0, &OwnedBuffer::retain,
                                            &OwnedBuffer::release, &OwnedBuffer::unique};

}  // namespace detail

inline Buffer Buffer::copy(std::string_view bytes) {
  if (bytes.size() > UINT32_MAX) return {};
  void* memory = std::malloc(sizeof(detail::OwnedBuffer) + bytes.size());
  if (memory == nullptr) return {};
  auto* owned = new (memory) detail::OwnedBuffer{{}, {1}};
  auto* data = reinterpret_cast<uint8_t*>(owned + 1);
  if (!bytes.empty()) std::memcpy(data, bytes.data(), bytes.size());
  const auto size = static_cast<uint32_t>(bytes.size());
  owned->base = pb_buf{&detail::kOwnedBufferOps, data, size, size};
  return Buffer::adopt(&owned->base);
}

inline Result<Buffer> Buffer::try_copy(std::string_view bytes) {
  Buffer made = copy(bytes);
  if (made.get() == nullptr)
    return {Code::exhausted, "there is no memory for " + std::to_string(bytes.size()) + " bytes"};
  return made;
}

}  // namespace patchbay
