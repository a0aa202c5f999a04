// LoopObject: something that a media loop calls when it is due: a watched descriptor (LoopWatch) or a timer
// (LoopTimer). It is on at most one loop at a time: arming it puts it on the loop that arms it, whose thread
// alone uses it until it is disarmed. Any thread may close it. None of this allocates, frees or locks.
#pragma once

#include <atomic>
#include <cstdint>

namespace patchbay::core {

class MediaLoop;

class LoopObject {
 public:
  virtual ~LoopObject() = default;
  LoopObject(const LoopObject&) = delete;
  LoopObject& operator=(const LoopObject&) = delete;

  // [any, media too] Ends the calls; call it once. closed() follows: on the thread of the loop that it is on,
  // after its last call, or on this thread before this returns if it is on none. On its loop's thread, no
  // call follows this.
  void close() noexcept;

 protected:
  LoopObject() = default;

 private:
  friend class MediaLoop;
  static constexpr uintptr_t kClosed = 1;

  virtual void closed() noexcept = 0;
  virtual void take_off(MediaLoop& loop) noexcept = 0;
  virtual bool is_armed() const noexcept = 0;

  std::atomic<uintptr_t> home_{0};  // the loop that it is on, 0 for none, and kClosed
  LoopObject* closing_next_ = nullptr;
  bool running_ = false;  // [loop] its call is running
};

// Calls ready() while the descriptor is ready (level-triggered), at most once per turn of the loop. The
// descriptor must stay open until closed().
class LoopWatch : public LoopObject {
 public:
  static constexpr uint32_t kReadable = 1;
  static constexpr uint32_t kWritable = 2;
  static constexpr uint32_t kFailed = 4;  // an error or hang-up; reported whether wanted or not

  explicit LoopWatch(int fd) noexcept : fd_(fd) {}
  int fd() const noexcept { return fd_; }

 private:
  friend class MediaLoop;
  // [loop]
  virtual void ready(uint32_t events, int64_t now_ns) noexcept = 0;
  void take_off(MediaLoop& loop) noexcept final;
  bool is_armed() const noexcept final { return events_ != 0; }

  const int fd_;
  uint32_t events_ = 0;  // what it waits for; 0: it is disarmed
};

// Calls due() once for each time it is set.
class LoopTimer : public LoopObject {
 private:
  friend class MediaLoop;
  friend class TimerHeap;
  // [loop] tick_no: of the latest tick.
  virtual void due(uint64_t tick_no, int64_t now_ns) noexcept = 0;
  void take_off(MediaLoop& loop) noexcept final;
  bool is_armed() const noexcept final { return due_ns_ != 0; }

  int64_t due_ns_ = 0;  // 0: it is disarmed
  // links of TimerHeap
  LoopTimer* child_ = nullptr;
  LoopTimer* next_ = nullptr;    // sibling
  LoopTimer* before_ = nullptr;  // the sibling before it, or the parent of the first one
};

}  // namespace patchbay::core
