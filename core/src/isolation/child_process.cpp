#include "isolation/child_process.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "isolation/limits.h"

namespace patchbay::core::isolation {
namespace {

constexpr int kChildFd = 3;

// The part of the server's environment that a plugin's process gets: where and how to run, nothing that may
// be a secret.
bool is_passed_on(std::string_view variable) {
  static constexpr std::string_view kNames[] = {
      "PATH",         "HOME",         "USER",          "LOGNAME",        "LANG",
      "TZ",           "TMPDIR",       "SSL_CERT_DIR",  "SSL_CERT_FILE",  "ASAN_OPTIONS",
      "LSAN_OPTIONS", "TSAN_OPTIONS", "UBSAN_OPTIONS", "LD_LIBRARY_PATH"};
  const std::string_view name = variable.substr(0, variable.find('='));
  if (name.substr(0, 3) == "LC_") return true;
  for (const std::string_view each : kNames) {
    if (name == each) return true;
  }
  return false;
}

std::vector<char*> passed_environment() {
  std::vector<char*> passed;
  for (char** each = environ; each != nullptr && *each != nullptr; ++each) {
    if (is_passed_on(*each)) passed.push_back(*each);
  }
  passed.push_back(nullptr);
  return passed;
}

// Starts it in a separate process group, because Ctrl-C is for the server, which stops its plugins in order.
// It inherits these four descriptors only, even if a library has opened others without close-on-exec.
int spawn_child(const std::string& program, const char* const* arguments, int socket, pid_t& pid) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, socket, kChildFd);
  posix_spawn_file_actions_addclosefrom_np(&actions, kChildFd + 1);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t signals;
  sigemptyset(&signals);
  posix_spawnattr_setsigmask(&attributes, &signals);
  sigfillset(&signals);
  posix_spawnattr_setsigdefault(&attributes, &signals);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  auto environment = passed_environment();
  const int error = posix_spawn(&pid, program.c_str(), &actions, &attributes,
                                const_cast<char* const*>(arguments), environment.data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

}  // namespace

std::string describe_exit(int status) {
  if (WIFSIGNALED(status)) {
    return "its process was ended by signal " + std::to_string(WTERMSIG(status)) + " (" +
           sigdescr_np(WTERMSIG(status)) + ")";
  }
  return "its process ended with code " + std::to_string(WEXITSTATUS(status));
}

Result<std::unique_ptr<ChildProcess>> ChildProcess::start(ChildCommand command, ProcessTimes& times,
                                                          OnFrame on_frame, OnEnd on_end) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    return {Code::exhausted, std::string("no socket: ") + std::strerror(errno)};
  return std::unique_ptr<ChildProcess>(new ChildProcess(std::move(command), times, Descriptor(ends[0]),
                                                        Descriptor(ends[1]), std::move(on_frame),
                                                        std::move(on_end)));
}

ChildProcess::ChildProcess(ChildCommand command, ProcessTimes& times, Descriptor ours, Descriptor theirs,
                           OnFrame on_frame, OnEnd on_end)
    : times_(times),
      command_(std::move(command)),
      theirs_(std::move(theirs)),
      channel_(std::move(ours)),
      on_frame_(std::move(on_frame)),
      on_end_(std::move(on_end)),
      thread_([this] { run(); }) {}

ChildProcess::~ChildProcess() { thread_.join(); }

// The thread that starts the child lives as long as the child, because PR_SET_PDEATHSIG kills the child when
// the thread that started it ends, even if the server lives on.
void ChildProcess::run() {
  if (Status made = spawn(); !made) return on_end_(std::move(made));
  read();
  const int status = reap();
  on_end_(WIFEXITED(status) && WEXITSTATUS(status) == 0 ? Status()
                                                        : Status(Code::unavailable, describe_exit(status)));
}

Status ChildProcess::spawn() {
  const std::string parent = std::to_string(::getpid());
  std::vector<const char*> arguments = {command_.program.c_str(), command_.plugin_file.c_str(),
                                        command_.id.c_str(), command_.data_folder.c_str(), parent.c_str()};
  for (const std::string& path : command_.paths) arguments.push_back(path.c_str());
  arguments.push_back(nullptr);
  const std::lock_guard lock(mutex_);
  pid_t pid = -1;
  const int error = spawn_child(command_.program, arguments.data(), theirs_.get(), pid);
  theirs_ = Descriptor();
  if (error != 0)
    return {Code::unavailable, "cannot start " + command_.program + ": " + std::strerror(error)};
  pid_ = pid;
  times_.started(pid);
  pidfd_ = Descriptor(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  if (killed_) ::kill(-pid_, SIGKILL);
  return {};
}

void ChildProcess::read() {
  std::string frame;
  Descriptor fd;
  while (channel_.receive(frame, fd, pidfd_.get())) {
    wait_for_processing(frame.size());
    on_frame_(std::exchange(frame, {}), std::move(fd));
  }
}

void ChildProcess::wait_for_processing(size_t bytes) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] {
    return killed_ ||
           (unprocessed_ < kMaxUnprocessedFrames && unprocessed_bytes_ < kMaxUnprocessedFrameBytes);
  });
  ++unprocessed_;
  unprocessed_bytes_ += bytes;
}

void ChildProcess::processed(size_t bytes) {
  const std::lock_guard lock(mutex_);
  --unprocessed_;
  unprocessed_bytes_ -= bytes;
  changed_.notify_one();
}

int ChildProcess::reap() {
  const std::chrono::milliseconds limit(channel_.finished() ? kMaxExitAfterStopMs : kMaxExitAfterCloseMs);
  const auto deadline = std::chrono::steady_clock::now() + limit;
  std::unique_lock lock(mutex_);
  while (true) {
    siginfo_t exited{};
    const int error = ::waitid(P_PID, static_cast<id_t>(pid_), &exited, WEXITED | WNOHANG | WNOWAIT);
    if (error != 0 || exited.si_pid == pid_) {
      // Processes that it started; before waitpid, which frees the number. On an error it is free already.
      if (error == 0) ::kill(-pid_, SIGKILL);
      times_.ended(pid_);
      int status = 0;
      ::waitpid(pid_, &status, 0);
      pid_ = -1;
      return status;
    }
    if (std::chrono::steady_clock::now() > deadline) ::kill(-pid_, SIGKILL);
    changed_.wait_for(lock, std::chrono::milliseconds(kExitPollMs));
  }
}

void ChildProcess::kill() {
  const std::lock_guard lock(mutex_);
  killed_ = true;
  if (pid_ > 0) ::kill(-pid_, SIGKILL);
  channel_.shutdown();
  changed_.notify_one();
}

}  // namespace patchbay::core::isolation
