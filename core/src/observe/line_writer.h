// Writes lines to a descriptor on its own thread, so that the threads that log never wait for a slow disk or
// reader. The queue is bounded: lines beyond it are dropped, counted, and announced in the log once there is
// room again.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace patchbay::core::observe {

class LineWriter {
 public:
  // Formats the line, without its newline, that announces dropped lines. Called on the writer's thread.
  using Announcement = std::function<std::string(uint64_t count)>;

  // Closes `fd` in the end if `owned`.
  LineWriter(int fd, bool owned, Announcement announcement);
  // Writes the queued lines, for at most kFlushTimeoutMs.
  ~LineWriter();
  LineWriter(const LineWriter&) = delete;
  LineWriter& operator=(const LineWriter&) = delete;

  // [any] Queues a line without its newline. Never waits for the descriptor. Lines that are not urgent
  // and follow within kGatherLinesMs of others are written together, so that not each of them wakes the
  // thread. So a crash may lose the lines below a warning of up to the last kGatherLinesMs (20 ms).
  void push(std::string line, bool urgent);
  // [any] Waits until every line pushed before is written or dropped, at most kFlushTimeoutMs.
  void flush();
  // [any] Writes lines pushed from now on to `fd` and takes ownership of it. Closes the old descriptor if
  // owned.
  void replace(int fd);
  uint64_t dropped() const;

 private:
  void run();
  void await_lines(std::unique_lock<std::mutex>& lock);
  size_t write_lines(const std::vector<std::string>& lines);
  bool write_all(const std::string& text);
  bool may_go_on() const;

  const Announcement announcement_;
  mutable std::mutex mutex_;  // guards the members down to end_
  std::condition_variable pushed_, written_;
  std::vector<std::string> waiting_;
  size_t bytes_ = 0;          // queued or being written
  uint64_t pushes_ = 0;       // lines taken so far
  uint64_t done_ = 0;         // of those, written or given up
  uint64_t dropped_ = 0;      // in all
  uint64_t unannounced_ = 0;  // of those
  bool gathering_ = false;    // the thread wakes by itself
  bool urgent_ = false;       // and now it must not wait
  int next_fd_ = -1;
  bool stopping_ = false;
  std::chrono::steady_clock::time_point end_{};  // when stopping: give up at this time
  // used by the writer's thread
  int fd_;
  bool owned_;
  bool torn_ = false;   // the last write stopped in the middle of a line
  std::thread thread_;  // last, because it uses the members above
};

}  // namespace patchbay::core::observe
