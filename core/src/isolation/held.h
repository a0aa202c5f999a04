// Held: what a child has made in the server, by the server's handles: instances, leases, subscriptions,
// ports, workers. Closed when the child closes it or has ended, and freed once the core no longer uses it.
#pragma once

#include <patchbay/host.h>

#include <array>
#include <cstdint>
#include <map>
#include <memory>

#include "abi/close_handle.h"

namespace patchbay::core::isolation {

class Held {
 public:
  explicit Held(HandleKind its_kind) : kind(its_kind) {}
  virtual ~Held() = default;
  // [any] The core no longer uses it; it is freed next.
  virtual void closed() {}

  const HandleKind kind;
  uint64_t handle = 0;  // 0: it could not be made
};

class HeldHandles {
 public:
  static constexpr size_t kMax = 16384;  // of each kind

  explicit HeldHandles(const Host& host) : host_(host) {}
  // The child is refused more of these.
  bool is_full(HandleKind kind) const { return counts_[static_cast<size_t>(kind)] >= kMax; }
  // Keeps what could be made.
  void add(std::unique_ptr<Held> what) {
    if (what->handle == 0) return;
    ++counts_[static_cast<size_t>(what->kind)];
    things_[what->handle] = std::move(what);
  }
  // [strand main] A handle that the child does not hold is ignored.
  void close(uint64_t handle) {
    const auto at = things_.find(handle);
    if (at == things_.end()) return;
    Held* what = at->second.release();
    things_.erase(at);
    --counts_[static_cast<size_t>(what->kind)];
    close_handle(
        tables_of(host_), host_.self, what->kind, handle,
        [](void* user) noexcept {
          const std::unique_ptr<Held> ended(static_cast<Held*>(user));
          ended->closed();
        },
        what);
  }
  void close_all() {
    while (!things_.empty()) close(things_.begin()->first);
  }

 private:
  const Host& host_;
  std::map<uint64_t, std::unique_ptr<Held>> things_;
  std::array<size_t, kHandleKinds> counts_{};  // by HandleKind
};

}  // namespace patchbay::core::isolation
