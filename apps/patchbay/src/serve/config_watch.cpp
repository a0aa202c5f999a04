#include "serve/config_watch.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

namespace patchbay::app {

ConfigWatch::ConfigWatch(std::string file)
    : file_(std::move(file)), notices_(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK)), last_(read_state()) {
  const auto folder = std::filesystem::path(file_).parent_path();
  const std::string watched = folder.empty() ? "." : folder.string();
  // Not IN_MODIFY, because a file that is being written is not complete.
  constexpr uint32_t kChanges = IN_CLOSE_WRITE | IN_MOVED_TO | IN_CREATE | IN_ATTRIB;
  const int flags = ::fcntl(notices_.get(), F_GETFL);
  const bool watches = ::inotify_add_watch(notices_.get(), watched.c_str(), kChanges) >= 0 &&
                       ::fcntl(notices_.get(), F_SETOWN, ::getpid()) == 0 &&
                       ::fcntl(notices_.get(), F_SETFL, flags | O_ASYNC) == 0;
  if (!watches) error_ = "cannot watch " + watched + ": " + std::strerror(errno);
}

bool ConfigWatch::take_change(std::chrono::milliseconds quiet, std::chrono::milliseconds limit) {
  const auto end = std::chrono::steady_clock::now() + limit;
  pollfd more{notices_.get(), POLLIN, 0};
  discard_notices();
  if (read_state() == last_) return false;
  while (std::chrono::steady_clock::now() < end && ::poll(&more, 1, static_cast<int>(quiet.count())) > 0)
    discard_notices();
  const State now = read_state();
  if (now == last_ || now.inode == 0) return false;  // a removed file may come back
  last_ = now;
  return true;
}

void ConfigWatch::forget_change() {
  discard_notices();
  last_ = read_state();
}

ConfigWatch::State ConfigWatch::read_state() const {
  struct stat found {};
  if (::stat(file_.c_str(), &found) != 0) return {};
  return {found.st_dev, found.st_ino, static_cast<uint64_t>(found.st_size),
          int64_t{found.st_mtim.tv_sec} * 1'000'000'000 + found.st_mtim.tv_nsec};
}

void ConfigWatch::discard_notices() const {
  alignas(inotify_event) char buffer[4096];
  while (::read(notices_.get(), buffer, sizeof buffer) > 0) {
  }
}

}  // namespace patchbay::app
