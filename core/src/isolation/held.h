// What a child has made in the server, by the child's tags: instances, subscriptions, ports, workers. Closed
// when it says so or has ended, and freed when the core is done with it.
#pragma once

#include <patchbay/host.h>

#include <cstdint>
#include <map>
#include <memory>

namespace patchbay::core::isolation {

class Held {
 public:
  virtual ~Held() = default;
  // Begins its end, on the main strand; done(user) when nothing of it runs any more.
  virtual void close(const Host& host, pb_fn done, void* user) = 0;
  // [any] It has ended.
  virtual void closed() {}

  uint64_t handle = 0;  // the server's number; 0: it could not be made
};

class HeldThings {
 public:
  static constexpr size_t kMost = 16384;

  explicit HeldThings(const Host& host) : host_(host) {}
  bool is_used(uint64_t tag) const { return things_.count(tag) != 0; }
  // The child is refused more.
  bool is_full() const { return things_.size() >= kMost; }
  // Keeps what could be made.
  void add(uint64_t tag, std::unique_ptr<Held> what) {
    if (what->handle != 0) things_[tag] = std::move(what);
  }
  // NULL: none of that tag.
  Held* find(uint64_t tag) const {
    const auto at = things_.find(tag);
    return at == things_.end() ? nullptr : at->second.get();
  }
  void close(uint64_t tag) {
    const auto at = things_.find(tag);
    if (at == things_.end()) return;
    Held* what = at->second.release();
    things_.erase(at);
    what->close(
        host_,
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
};

}  // namespace patchbay::core::isolation
