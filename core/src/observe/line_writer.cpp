#include "observe/line_writer.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <utility>

#include "observe/limits.h"

namespace patchbay::core::observe {
namespace {

constexpr int kPollMs = 100;

// Memory that a line takes besides its text.
constexpr size_t kOverhead = sizeof(std::string);

}  // namespace

LineWriter::LineWriter(int fd, bool owned, Announcement announcement)
    : announcement_(std::move(announcement)), fd_(fd), owned_(owned) {
  // Block all signals on this thread: the program's threads handle them, and SIGPIPE must not end the
  // process.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this] { run(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

LineWriter::~LineWriter() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    end_ = std::chrono::steady_clock::now() + std::chrono::milliseconds(kFlushTimeoutMs);
  }
  pushed_.notify_one();
  thread_.join();
  if (owned_) ::close(fd_);
}

void LineWriter::push(std::string line, bool urgent) {
  const size_t size = line.size() + kOverhead;
  bool wake = urgent;
  {
    const std::lock_guard lock(mutex_);
    if (bytes_ + size > kMaxQueuedBytes + (urgent ? kExtraQueuedBytes : 0)) {
      ++dropped_;
      ++unannounced_;
      return;
    }
    bytes_ += size;
    ++pushes_;
    waiting_.push_back(std::move(line));
    urgent_ = urgent_ || urgent || bytes_ > kMaxQueuedBytes / 2;
    wake = urgent_ || !gathering_;
  }
  if (wake) pushed_.notify_one();
}

void LineWriter::flush() {
  std::unique_lock lock(mutex_);
  const uint64_t upto = pushes_;
  urgent_ = true;
  pushed_.notify_one();
  written_.wait_for(lock, std::chrono::milliseconds(kFlushTimeoutMs), [&] { return done_ >= upto; });
}

void LineWriter::replace(int fd) {
  flush();
  const std::lock_guard lock(mutex_);
  if (next_fd_ >= 0) ::close(next_fd_);
  next_fd_ = fd;
}

uint64_t LineWriter::dropped() const {
  const std::lock_guard lock(mutex_);
  return dropped_;
}

// Gathers the lines that follow shortly after those that were just written; if there are none, waits for one.
void LineWriter::await_lines(std::unique_lock<std::mutex>& lock) {
  gathering_ = true;
  pushed_.wait_for(lock, std::chrono::milliseconds(kGatherLinesMs), [this] { return stopping_ || urgent_; });
  gathering_ = false;
  pushed_.wait(lock, [this] { return stopping_ || !waiting_.empty(); });
  urgent_ = false;
}

void LineWriter::run() {
  std::vector<std::string> lines;
  std::unique_lock lock(mutex_);
  while (true) {
    await_lines(lock);
    if (next_fd_ >= 0) {
      if (owned_) ::close(fd_);
      fd_ = std::exchange(next_fd_, -1);
      owned_ = true;
      torn_ = false;
    }
    if (waiting_.empty()) return;
    lines.swap(waiting_);
    lock.unlock();
    const size_t lost = lines.size() - write_lines(lines);
    size_t size = 0;
    for (const std::string& line : lines) size += line.size() + kOverhead;
    lock.lock();
    bytes_ -= size;
    done_ += lines.size();
    dropped_ += lost;
    unannounced_ += lost;
    lines.clear();
    written_.notify_all();
    if (const uint64_t count = unannounced_; count > 0 && lost == 0) {
      lock.unlock();
      const bool announced = write_all(announcement_(count) + "\n");
      lock.lock();
      if (announced) unannounced_ -= count;
    }
  }
}

// Writes whole lines in batches of up to PIPE_BUF bytes. A pipe takes such a batch at once or not at all, so
// lines of other processes on the same pipe do not land inside them. Stops at the first batch that cannot be
// written; returns the number of lines written.
size_t LineWriter::write_lines(const std::vector<std::string>& lines) {
  size_t written = 0;
  while (written < lines.size()) {
    std::string text;
    size_t upto = written;
    while (upto < lines.size() && (text.empty() || text.size() + lines[upto].size() < PIPE_BUF))
      text += lines[upto++] + "\n";
    if (!write_all(text)) break;
    written = upto;
  }
  return written;
}

bool LineWriter::may_go_on() const {
  const std::lock_guard lock(mutex_);
  return !stopping_ || std::chrono::steady_clock::now() < end_;
}

bool LineWriter::write_all(const std::string& text) {
  const std::string line = torn_ ? "\n" + text : text;
  size_t done = 0;
  while (done < line.size()) {
    pollfd poller{fd_, POLLOUT, 0};
    const int ready = ::poll(&poller, 1, kPollMs);
    if (ready == 0 || (ready < 0 && errno == EINTR)) {
      if (may_go_on()) continue;
      break;
    }
    // A writable pipe takes PIPE_BUF bytes without blocking, more might wait for its reader.
    const ssize_t size = ::write(fd_, line.data() + done, std::min<size_t>(line.size() - done, PIPE_BUF));
    if (size < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (size <= 0) break;
    done += static_cast<size_t>(size);
  }
  const bool written = done == line.size();
  if (done > 0) torn_ = !written && line[done - 1] != '\n';
  return written;
}

}  // namespace patchbay::core::observe
