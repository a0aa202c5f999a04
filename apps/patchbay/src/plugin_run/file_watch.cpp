#include "plugin_run/file_watch.h"

#include <patchbay/descriptor.h>
#include <poll.h>
#include <sys/inotify.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <thread>

namespace patchbay::app {
namespace {

constexpr std::chrono::milliseconds kQuietTime(
    200);  // without changes, because a linker writes in several steps
constexpr std::chrono::seconds kStopTimeout(15);

sigset_t watched_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int number : {SIGTERM, SIGINT, SIGCHLD}) sigaddset(&set, number);
  return set;
}

class Watch {
 public:
  Watch(const std::filesystem::path& file, const std::function<int()>& run)
      : name_(file.filename().string()),
        run_(run),
        changes_(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK)),
        signals_(open_signals()) {
    const auto folder = file.has_parent_path() ? file.parent_path().string() : std::string(".");
    watching_ = ::inotify_add_watch(changes_.get(), folder.c_str(), IN_CLOSE_WRITE | IN_MOVED_TO) >= 0;
    if (!watching_) error_ = "cannot watch " + folder + ": " + std::strerror(errno);
  }

  Status run() {
    if (!watching_ || !signals_) return {Code::failed, error_};
    start_child();
    while (!stopped_) {
      std::array<pollfd, 2> fds{{{changes_.get(), POLLIN, 0}, {signals_.get(), POLLIN, 0}}};
      ::poll(fds.data(), fds.size(), -1);
      if (fds[1].revents != 0) take_signals();
      if (!stopped_ && fds[0].revents != 0 && changed()) restart();
    }
    stop_child();
    return {};
  }

 private:
  static int open_signals() {
    const sigset_t set = watched_signals();
    sigprocmask(SIG_BLOCK, &set, nullptr);
    return ::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  }

  void start_child() {
    child_ = ::fork();
    if (child_ != 0) return;
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    const sigset_t set = watched_signals();
    sigprocmask(SIG_UNBLOCK, &set, nullptr);
    const int code = run_();
    std::fflush(nullptr);
    ::_exit(code);
  }
  void stop_child() {
    if (child_ <= 0) return;
    ::kill(child_, SIGTERM);
    const auto until = std::chrono::steady_clock::now() + kStopTimeout;
    while (!reap(WNOHANG)) {
      if (std::chrono::steady_clock::now() > until) ::kill(child_, SIGKILL);
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }
  bool reap(int flags) {
    int status = 0;
    if (child_ <= 0 || ::waitpid(child_, &status, flags) != child_) return child_ <= 0;
    child_ = 0;
    code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return true;
  }
  void take_signals() {
    signalfd_siginfo info{};
    while (::read(signals_.get(), &info, sizeof info) == sizeof info) {
      if (info.ssi_signo != SIGCHLD) stopped_ = true;
    }
    if (child_ > 0 && reap(WNOHANG) && !stopped_)
      std::fprintf(stderr, "patchbay: ended with %d; waiting for %s to change\n", code_, name_.c_str());
  }
  // Reads the pending changes. Returns whether one of them is our file's.
  bool changed() {
    alignas(inotify_event) char buffer[4096];
    bool ours = false;
    ssize_t length = 0;
    while ((length = ::read(changes_.get(), buffer, sizeof buffer)) > 0) {
      for (const char* at = buffer; at < buffer + length;) {
        const auto* event = reinterpret_cast<const inotify_event*>(static_cast<const void*>(at));
        ours = ours || (event->len > 0 && name_ == event->name);
        at += sizeof(inotify_event) + event->len;
      }
    }
    return ours;
  }
  void restart() {
    pollfd more{changes_.get(), POLLIN, 0};
    while (::poll(&more, 1, static_cast<int>(kQuietTime.count())) > 0) changed();
    stop_child();
    std::fprintf(stderr, "patchbay: %s has changed: starting it again\n", name_.c_str());
    start_child();
  }

  const std::string name_;
  const std::function<int()>& run_;
  const Descriptor changes_;
  const Descriptor signals_;
  bool watching_ = false;
  std::string error_;
  pid_t child_ = 0;
  int code_ = 0;
  bool stopped_ = false;
};

}  // namespace

Status watch_and_run(const std::string& file, const std::function<int()>& run) {
  Watch watch(file, run);
  return watch.run();
}

}  // namespace patchbay::app
