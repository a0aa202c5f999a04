#include "observe/descriptor_sink.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <string>

namespace patchbay::core::observe {

DescriptorSink::DescriptorSink(int fd, bool owned, std::chrono::milliseconds longest_wait)
    : fd_(fd), owned_(owned), longest_wait_(longest_wait) {}

DescriptorSink::~DescriptorSink() {
  if (owned_) ::close(fd_);
}

void DescriptorSink::replace(int fd) {
  const std::lock_guard lock(mutex_);
  if (owned_) ::close(fd_);
  fd_ = fd;
  owned_ = true;
  torn_ = false;
  stalled_ = false;
}

bool DescriptorSink::wait() {
  pollfd poller{fd_, POLLOUT, 0};
  return ::poll(&poller, 1, stalled_ ? 0 : static_cast<int>(longest_wait_.count())) > 0;
}

void DescriptorSink::sink_it_(const spdlog::details::log_msg& message) {
  std::string line = torn_ ? "\n" : "";
  line.append(message.payload.data(), message.payload.size());
  line += '\n';
  // A writable pipe takes PIPE_BUF bytes without blocking, more might wait for its reader.
  size_t done = 0;
  while (done < line.size()) {
    if (!wait()) break;
    const ssize_t size = ::write(fd_, line.data() + done, std::min<size_t>(line.size() - done, PIPE_BUF));
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) break;
    done += static_cast<size_t>(size);
  }
  stalled_ = done < line.size();
  if (!stalled_) {
    torn_ = false;
    return;
  }
  ++dropped_;
  torn_ = torn_ ? done != 1 : done > 0;
}

}  // namespace patchbay::core::observe
