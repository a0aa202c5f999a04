// Writes lines to a descriptor on a thread of its own, so that a slow disk or a reader that does not read
// costs the threads that log nothing. What waits is bounded; lines beyond are dropped, counted, and announced
// in the log once there is room again.
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
  static constexpr size_t kMaxBytes = 4 << 20;
  static constexpr size_t kUrgentBytes = 1 << 20;  // beyond kMaxBytes, for urgent lines only
  static constexpr std::chrono::milliseconds kFlushWait{1000};

  // The line, without newline, that says how many were dropped. Runs on the writer's thread.
  using Announcement = std::function<std::string(uint64_t count)>;

  // Owns `fd` when `owned`.
  LineWriter(int fd, bool owned, Announcement announcement);
  // Writes what waits, for at most kFlushWait.
  ~LineWriter();
  LineWriter(const LineWriter&) = delete;
  LineWriter& operator=(const LineWriter&) = delete;

  // [any] Takes a line without its newline. Does not wait for the descriptor.
  void push(std::string line, bool urgent);
  // [any] Returns when every line pushed before is written or dropped, at the latest after kFlushWait.
  void flush();
  // [any] Lines pushed from now on go to `fd`, which this owns; the old descriptor is closed if it was owned.
  void replace(int fd);
  uint64_t dropped() const;

 private:
  void run();
  size_t write_lines(const std::vector<std::string>& lines);
  bool write_all(const std::string& text);
  bool may_go_on() const;

  const Announcement announcement_;
  mutable std::mutex mutex_;  // guards those below
  std::condition_variable pushed_, written_;
  std::vector<std::string> waiting_;
  size_t bytes_ = 0;          // of waiting_ and of what is being written
  uint64_t pushes_ = 0;       // lines taken so far
  uint64_t done_ = 0;         // of those, written or given up
  uint64_t dropped_ = 0;      // in all
  uint64_t unannounced_ = 0;  // of those
  int next_fd_ = -1;
  bool stopping_ = false;
  std::chrono::steady_clock::time_point end_{};  // when stopping: give up then
  // of the writer's thread
  int fd_;
  bool owned_;
  bool torn_ = false;   // the last line ended in its middle
  std::thread thread_;  // last: it uses all of these
};

}  // namespace patchbay::core::observe
