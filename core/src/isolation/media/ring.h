// Ring: the frames of one audio port in memory that two processes share: a queue each way, and whether the
// port is joined. Neither side trusts what the other wrote there.
#pragma once

#include <patchbay/abi/media.h>
#include <patchbay/descriptor.h>
#include <patchbay/result.h>

#include <atomic>
#include <memory>

#include "isolation/limits.h"

namespace patchbay::core::isolation {

constexpr uint32_t kMaxSamples = 960;  // of a frame: 20 ms at 48 kHz

// In flags: the child's port passed the frame on by itself, so it need not wait for the next tick.
constexpr uint32_t kEarlyFrame = 1u << 31;

struct SharedFrame {
  uint32_t flags;
  uint32_t rate_hz;
  uint32_t samples;
  uint32_t reserved;
  int64_t tick;
  int64_t time_ns;
  int16_t pcm[kMaxSamples];
};

// One writer, one reader, each in its own process. [media]
class SharedQueue {
 public:
  uint32_t size() const noexcept;             // 0 to kMaxRingFrames, whatever the counters say
  bool push(const pb_frame& frame) noexcept;  // false: full, the frame is dropped
  bool pop(pb_frame& frame) noexcept;         // fills pcm up to frame.capacity; false: empty
  bool is_early() const noexcept;             // by the reader: the next frame is kEarlyFrame
  void clear() noexcept;                      // by the reader

 private:
  alignas(64) std::atomic<uint32_t> written_;
  alignas(64) std::atomic<uint32_t> read_;
  alignas(64) SharedFrame slots_[kMaxRingFrames];
};

struct SharedAudio {
  std::atomic<uint32_t> joined;   // by the parent: counts up when joined (odd) and when left (even)
  std::atomic<uint32_t> streams;  // by the parent: PB_PORT_* of pb_port.stream_to; 0: frames are pulled
  std::atomic<uint32_t> rung_at_parent;  // of Bell
  std::atomic<uint32_t> rung_at_child;
  SharedQueue to_parent;
  SharedQueue to_child;
};
static_assert(std::atomic<uint32_t>::is_always_lock_free, "shared between processes");

class Ring {
 public:
  // The child's side: new memory, sealed so that its size cannot change.
  static Result<std::unique_ptr<Ring>> create();
  // The server's side, which keeps no descriptor. Error: not sealed memory (reading it after it was shrunk
  // would raise SIGBUS).
  static Result<std::unique_ptr<Ring>> map(const Descriptor& fd);
  ~Ring();
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;

  SharedAudio& shared() noexcept { return *shared_; }
  int fd() const noexcept { return fd_.get(); }

 private:
  Ring(Descriptor fd, SharedAudio* shared) : fd_(std::move(fd)), shared_(shared) {}
  const Descriptor fd_;  // of create()
  SharedAudio* const shared_;
};

}  // namespace patchbay::core::isolation
