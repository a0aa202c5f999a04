// HandMedia: one media loop that ticks when a hand-driven clock has reached its deadlines. It has a thread of
// its own, so that what a plugin does in a tick happens where it would in a server.
#pragma once

#include <patchbay/abi/media.h>
#include <semaphore.h>

#include <atomic>
#include <memory>
#include <thread>

#include "runtime/media_loop.h"
#include "services/handle_map.h"

namespace patchbay::fake {

class HandMedia {
 public:
  explicit HandMedia(const core::MonoClock& clock);
  ~HandMedia();

  // [any] As in pb_media.
  uint64_t attach(uint32_t loop, pb_tick_fn fn, void* user);
  void detach(uint64_t attachment, core::CallFn done, void* user);

  // [driver] Runs what is due by the clock, what was attached and detached, then fn(user) if given; waits for
  // it. True when anything is attached.
  bool pump(core::CallFn fn = nullptr, void* user = nullptr);
  // [driver] When the next tick is due, by the monotonic clock; after pump().
  int64_t deadline_ns() const noexcept { return deadline_ns_.load(std::memory_order_acquire); }

 private:
  struct Attachment;

  void run();
  void turn();
  static void tick(void* self, uint64_t number, int64_t now_ns);
  static void detached(void* self);

  // owned
  core::MediaLoop loop_;
  core::HandleMap<std::shared_ptr<Attachment>> attachments_;  // shared with the loop
  // state
  sem_t asked_, done_;
  std::atomic<bool> stopping_{false}, pumped_{false};
  std::atomic<int64_t> deadline_ns_{0};
  std::atomic<bool> attached_{false};
  core::CallFn fn_ = nullptr;
  void* user_ = nullptr;
  std::thread thread_;
};

}  // namespace patchbay::fake
