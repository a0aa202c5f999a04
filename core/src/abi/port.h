// Ports: the audio ports that plugins have made known, by handle. Any thread but a media loop, except
// release().
#pragma once

#include <patchbay/abi/media.h>

#include <atomic>
#include <string>

#include "runtime/ref.h"
#include "runtime/strand.h"

namespace patchbay::core {

// One port, open to those who join it. It ends when its owner has closed it and nobody has it open.
class Port final : public RefCounted<Port> {
 public:
  Port(const pb_port* table, void* self, Ref<Strand> owner)
      : table_(table), self_(self), owner_(std::move(owner)) {}

  const pb_port* table() const noexcept { return table_; }
  void* self() const noexcept { return self_; }

  // [any] False once closed.
  bool join() noexcept;
  // [any] [media]
  void leave() noexcept;  // not `release`, which is the count of RefCounted
  // [any] done(user) on the owner's strand when nobody has it open; only the first close counts.
  void close(CallFn done, void* user) noexcept;

 private:
  friend class RefCounted<Port>;
  ~Port() = default;
  static constexpr uint32_t kClosed = 1u << 31;
  void finish() noexcept;

  const pb_port* const table_;  // the owner's, as `self_`
  void* const self_;
  const Ref<Strand> owner_;
  std::atomic<uint32_t> users_{0};
  CallFn done_ = nullptr;
  void* user_ = nullptr;
};

}  // namespace patchbay::core
