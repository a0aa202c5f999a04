#include "proxy_process.h"

#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>

namespace patchbay::isolated {
namespace {

constexpr int kChildFd = 3;
constexpr auto kLeave = std::chrono::seconds(10);  // to end after its channel has

}  // namespace

Result<std::unique_ptr<ProxyProcess>> ProxyProcess::spawn(const std::string& program,
                                                          const std::string& plugin_file,
                                                          const std::string& id, OnFrame on_frame,
                                                          OnEnd on_end) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    return {Code::exhausted, std::string("no socket: ") + std::strerror(errno)};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], kChildFd);
  const char* arguments[] = {program.c_str(), plugin_file.c_str(), id.c_str(), nullptr};
  pid_t pid = -1;
  const int error =
      posix_spawn(&pid, program.c_str(), &actions, nullptr, const_cast<char**>(arguments), environ);
  posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  if (error != 0) {
    ::close(ends[0]);
    return {Code::unavailable, program + ": " + std::strerror(error)};
  }
  return std::unique_ptr<ProxyProcess>(
      new ProxyProcess(ends[0], pid, std::move(on_frame), std::move(on_end)));
}

ProxyProcess::ProxyProcess(int fd, pid_t pid, OnFrame on_frame, OnEnd on_end)
    : pid_(pid), channel_(fd), on_frame_(std::move(on_frame)), on_end_(std::move(on_end)), reader_([this] {
        read();
      }) {}

ProxyProcess::~ProxyProcess() { reader_.join(); }

void ProxyProcess::read() {
  std::string frame;
  int fd = -1;
  while (channel_.receive(frame, fd)) on_frame_(std::exchange(frame, {}), fd);
  on_end_(reap());
}

int ProxyProcess::reap() {
  const auto deadline = std::chrono::steady_clock::now() + kLeave;
  while (true) {
    {
      const std::lock_guard lock(mutex_);
      int status = 0;
      if (::waitpid(pid_, &status, WNOHANG) != 0) {
        reaped_ = true;
        return status;
      }
      if (std::chrono::steady_clock::now() > deadline) ::kill(pid_, SIGKILL);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

void ProxyProcess::kill() {
  const std::lock_guard lock(mutex_);
  if (!reaped_) ::kill(pid_, SIGKILL);
}

}  // namespace patchbay::isolated
