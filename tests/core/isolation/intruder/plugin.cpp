#include <dirent.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <patchbay/plugin.h>
#include <patchbay/strand.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>

#include "intruder.h"

namespace {

using namespace patchbay;
using namespace patchbay::intruder;

int64_t failure(long result) { return result < 0 ? errno : 0; }

int64_t open_and_close(const std::string& path, int flags) {
  const int fd = ::open(path.c_str(), flags | O_CLOEXEC, 0600);
  if (fd < 0) return errno;
  ::close(fd);
  return 0;
}

int64_t list(const std::string& path) {
  DIR* folder = ::opendir(path.c_str());
  if (folder == nullptr) return errno;
  ::closedir(folder);
  return 0;
}

int64_t connect_to(const std::string& path) {
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return errno;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  const int64_t error = failure(::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address));
  ::close(fd);
  return error;
}

int64_t trace(pid_t pid) {
  if (::ptrace(PTRACE_SEIZE, pid, nullptr, nullptr) != 0) return errno;
  ::ptrace(PTRACE_DETACH, pid, nullptr, nullptr);
  return 0;
}

int64_t read_memory(pid_t pid) {
  char byte = 0;
  iovec here{&byte, 1};
  iovec there{&byte, 1};
  return failure(::process_vm_readv(pid, &here, 1, &there, 1, 0));
}

int64_t open_socket(int family) {
  const int fd = ::socket(family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return errno;
  ::close(fd);
  return 0;
}

// A datagram socket of a pair can be connected again, to any path.
int64_t open_pair() {
  int fds[2];
  if (::socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, fds) != 0) return errno;
  ::close(fds[0]);
  ::close(fds[1]);
  return 0;
}

int64_t run_thread() {
  int ran = 0;
  std::thread([&] { ran = 1; }).join();
  return ran == 1 ? 0 : ECHILD;
}

int64_t resolve() {
  addrinfo* found = nullptr;
  const int error = ::getaddrinfo("localhost", nullptr, nullptr, &found);
  if (error == 0) ::freeaddrinfo(found);
  return error == 0 ? 0 : ENOENT;
}

[[noreturn]] void never_come_back() {
  while (true) ::pause();
}

const std::map<std::string, std::function<int64_t(const Attempt&)>> kWays = {
    {"read", [](const Attempt& a) { return open_and_close(a.path, O_RDONLY); }},
    {"write", [](const Attempt& a) { return open_and_close(a.path, O_WRONLY | O_CREAT); }},
    {"list", [](const Attempt& a) { return list(a.path); }},
    {"remove", [](const Attempt& a) { return failure(::unlink(a.path.c_str())); }},
    {"connect", [](const Attempt& a) { return connect_to(a.path); }},
    {"signal", [](const Attempt& a) { return failure(::kill(static_cast<pid_t>(a.pid), 0)); }},
    {"trace", [](const Attempt& a) { return trace(static_cast<pid_t>(a.pid)); }},
    {"memory", [](const Attempt& a) { return read_memory(static_cast<pid_t>(a.pid)); }},
    {"mount", [](const Attempt& a) { return failure(::mount("none", a.path.c_str(), "tmpfs", 0, nullptr)); }},
    {"namespace", [](const Attempt&) { return failure(::unshare(CLONE_NEWNS)); }},
    {"root", [](const Attempt&) { return failure(::setuid(::getuid())); }},
    {"ring", [](const Attempt&) { return failure(::syscall(SYS_io_uring_setup, 1, nullptr)); }},
    {"bpf", [](const Attempt&) { return failure(::syscall(SYS_bpf, 0, nullptr, 0)); }},
    {"keys", [](const Attempt&) { return failure(::syscall(SYS_keyctl, 0, -3, 0)); }},
    {"faults", [](const Attempt&) { return failure(::syscall(SYS_userfaultfd, 0)); }},
    {"handle", [](const Attempt&) { return failure(::syscall(SYS_open_by_handle_at, -1, nullptr, 0)); }},
    {"packets", [](const Attempt&) { return open_socket(AF_PACKET); }},
    {"datagram pair", [](const Attempt&) { return open_pair(); }},
    {"process group", [](const Attempt&) { return failure(::setpgid(0, 0)); }},
    {"udp", [](const Attempt&) { return open_socket(AF_INET); }},
    {"thread", [](const Attempt&) { return run_thread(); }},
    {"resolve", [](const Attempt&) { return resolve(); }},
};

class IntruderPlugin final : public Plugin {
  Status start(const Config&) override {
    aside_ = std::make_unique<Strand>(host(), "aside");
    offered_ = std::make_unique<Provision<Intruder>>(host());
    offered_->on(Intruder::attempt, [](const Attempt& attempt) -> Result<Outcome> {
      const auto way = kWays.find(attempt.what);
      if (way == kWays.end()) return {Code::invalid, "no such attempt"};
      return Outcome{way->second(attempt)};
    });
    offered_->on(Intruder::hang, [this](const Place& place) -> Result<Empty> {
      if (place.where == "main") never_come_back();
      if (place.where == "strand") aside_->post(&never_come_back);
      if (place.where == "media")
        host().media->attach(
            host().self, PB_LOOP_ANY, [](void*, const pb_tick*) noexcept { never_come_back(); }, nullptr);
      return Empty{};
    });
    offered_->on(Intruder::crash, [](Empty) -> Result<Empty> { std::abort(); });
    offered_->on(Intruder::linger, [this](Empty) -> Result<Empty> {
      return post_worker(host(), [] { ::sleep(300); }) ? Result<Empty>(Empty{})
                                                       : Result<Empty>(Code::exhausted, "no worker");
    });
    return offered_->publish();
  }
  Status check_config(const Config&) override { return {}; }
  void stop(Done done) override {
    offered_.reset();
    aside_.reset();
    done();
  }

  std::unique_ptr<Strand> aside_;
  std::unique_ptr<Provision<Intruder>> offered_;
};

}  // namespace

PATCHBAY_PLUGIN(IntruderPlugin)
