#include "plugin_validate/step_runner.h"

#include <fcntl.h>
#include <malloc.h>
#include <net/if.h>
#include <patchbay/descriptor.h>
#include <poll.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "plugins/plugin_file.h"

namespace patchbay::app::validate {
namespace {

using Clock = std::chrono::steady_clock;

enum class MessageType : uint32_t { begun, note, reason, fix, finished };

struct MessageHeader {
  MessageType type;
  uint32_t size;
};

bool write_all(int fd, const void* bytes, size_t size) {
  for (const char* at = static_cast<const char*>(bytes); size > 0;) {
    const ssize_t count = ::write(fd, at, size);
    if (count <= 0) return false;
    at += count;
    size -= static_cast<size_t>(count);
  }
  return true;
}

void send(int fd, MessageType type, const std::string& text = {}) {
  const MessageHeader header{type, static_cast<uint32_t>(text.size())};
  if (!write_all(fd, &header, sizeof header) || !write_all(fd, text.data(), text.size())) ::_exit(1);
}

// Moves the process into an empty network namespace: the plugin's traffic reaches no other machine, and fixed
// ports are free. Without the permission for it the steps run in the machine's network.
void isolate_network() {
  if (::unshare(CLONE_NEWNET) != 0 && ::unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0) return;
  const Descriptor fd(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!fd) return;
  ifreq loopback{};
  std::strcpy(loopback.ifr_name, "lo");
  loopback.ifr_flags = IFF_UP | IFF_RUNNING;
  static_cast<void>(::ioctl(fd.get(), SIOCSIFFLAGS, &loopback));
}

Outcome run_step(const Step& step, const StepContext& context) {
  try {
    return step.run(context);
  } catch (const std::exception& error) {
    return {std::string("the check itself failed: ") + error.what(), "report this"};
  }
}

[[noreturn]] void run_child(const Subject& subject, const std::vector<Step>& steps, size_t first,
                            int to_parent, int output) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::dup2(output, STDOUT_FILENO);
  ::dup2(output, STDERR_FILENO);
  ::mallopt(M_ARENA_MAX, 1);  // because mallinfo2 reports the main arena only
  isolate_network();
  if (::access("/dev/shm", W_OK) == 0) ::setenv("TMPDIR", "/dev/shm", 0);  // temporary stores need no disk
  core::PluginSource source;
  source.file = subject.file;
  source.manifest = subject.manifest;
  const Status loaded = core::load_plugin(source);
  for (size_t i = first; i < steps.size(); ++i) {
    send(to_parent, MessageType::begun, std::to_string(i));
    Outcome outcome{loaded ? "" : "it cannot be loaded: " + loaded.error().text,
                    "see `patchbay plugin doctor`"};
    if (loaded) {
      outcome = run_step(steps[i], {subject, *source.entry, [to_parent](const std::string& text) {
                                      send(to_parent, MessageType::note, text);
                                    }});
    }
    send(to_parent, MessageType::reason, outcome.reason);
    send(to_parent, MessageType::fix, outcome.fix);
    send(to_parent, MessageType::finished);
  }
  ::_exit(0);
}

std::string line_at(const std::string& text, size_t at) {
  const size_t begin = text.rfind('\n', at);
  const size_t start = begin == std::string::npos ? 0 : begin + 1;
  return text.substr(start, std::min(text.find('\n', at), text.size()) - start);
}

// The line of the output that explains a crash (a sanitizer's report, an exception), or the last line.
std::string crash_line(int output) {
  std::string text(64 * 1024, '\0');
  const off_t size = ::lseek(output, 0, SEEK_END);
  const off_t from = std::max<off_t>(0, size - static_cast<off_t>(text.size()));
  const ssize_t got = ::pread(output, text.data(), text.size(), from);
  text.resize(got > 0 ? static_cast<size_t>(got) : 0);
  for (const char* sign : {"ERROR: AddressSanitizer", "runtime error:", "WARNING: ThreadSanitizer",
                           "what():", "terminate called", "Assertion"}) {
    const size_t at = text.find(sign);
    if (at != std::string::npos) return line_at(text, at);
  }
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text.empty() ? text : line_at(text, text.size() - 1);
}

class Child {
 public:
  Child(const Subject& subject, const std::vector<Step>& steps, size_t first)
      : subject_(subject), output_(::memfd_create("output", MFD_CLOEXEC)) {
    int ends[2];
    if (!output_ || ::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe to a child process");
    std::fflush(nullptr);
    pid_ = ::fork();
    if (pid_ == 0) {
      ::close(ends[0]);
      run_child(subject, steps, first, ends[1], output_.get());
    }
    ::close(ends[1]);
    from_ = Descriptor(ends[0]);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  // Waits for the result of the child's current step. Returns false when the child has crashed or timed out.
  bool collect(Result& result) {
    const auto begun = Clock::now();
    const bool completed = read_result(result.outcome);
    if (!completed) result.outcome = failure();
    result.ms = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begun).count();
    return completed;
  }
  void stop(bool all_done) {
    if (!all_done) ::kill(pid_, SIGKILL);
    int ignored = 0;
    ::waitpid(pid_, &ignored, 0);
  }

 private:
  bool read_result(Outcome& outcome) {
    const auto end = Clock::now() + std::chrono::seconds(kStepSec + static_cast<int>(subject_.fuzz_sec));
    note_.clear();
    MessageHeader header{};
    for (std::string text; read_message(header, text, end);) {
      if (header.type == MessageType::note) note_ = text;
      if (header.type == MessageType::reason) outcome.reason = text;
      if (header.type == MessageType::fix) outcome.fix = text;
      if (header.type == MessageType::finished) return true;
    }
    return false;
  }
  bool read_message(MessageHeader& header, std::string& text, Clock::time_point end) {
    if (!read_all(&header, sizeof header, end)) return false;
    text.resize(header.size);
    return read_all(text.data(), text.size(), end);
  }
  bool read_all(void* bytes, size_t size, Clock::time_point end) {
    for (char* at = static_cast<char*>(bytes); size > 0;) {
      pollfd ready{from_.get(), POLLIN, 0};
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
      timed_out_ = left <= 0 || ::poll(&ready, 1, static_cast<int>(left)) == 0;
      if (timed_out_) return false;
      const ssize_t count = ::read(from_.get(), at, size);
      if (count <= 0) return false;
      at += count;
      size -= static_cast<size_t>(count);
    }
    return true;
  }
  // How the child died or hung; kills and reaps it.
  Outcome failure() {
    if (timed_out_) ::kill(pid_, SIGKILL);
    int status = 0;
    ::waitpid(pid_, &status, 0);
    const std::string where = note_.empty() ? "" : " (" + note_ + ")";
    if (timed_out_) {
      return {"it did not finish within " + std::to_string(kStepSec) + " s" + where,
              "call `done` in every case, and wait for nothing on a strand"};
    }
    std::string what = WIFSIGNALED(status)
                           ? std::string("it crashed with ") + ::strsignal(WTERMSIG(status))
                           : "it ended the process with " + std::to_string(WEXITSTATUS(status));
    const std::string line = crash_line(output_.get());
    if (!line.empty()) what += ": " + line;
    return {what + where, "run the same under a debugger or with -fsanitize=address"};
  }

  const Subject& subject_;
  Descriptor output_;
  Descriptor from_;
  pid_t pid_ = -1;
  bool timed_out_ = false;
  std::string note_;
};

std::string group_of(const std::string& name) { return name.substr(0, name.find(':')); }

// Decides from the results so far which further steps are not worth running.
class SkipPolicy {
 public:
  void record(const Result& result) {
    if (result.outcome.passed()) return;
    if (result.name == kPlainLife) plain_life_fails_ = true;
    if (result.ms >= kSlowMs) ++slow_[group_of(result.name)];
  }
  // "" for a step that should run.
  std::string reason_to_skip(const std::string& name) const {
    if (plain_life_fails_ && name != "life: create and destroy" && name != "config: what it refuses")
      return std::string("`") + kPlainLife + "` has failed, and this needs it";
    const std::string group = group_of(name);
    const auto slow = slow_.find(group);
    if (slow != slow_.end() && slow->second >= kMaxSlow)
      return std::to_string(slow->second) + " checks of `" + group + "` timed out";
    return {};
  }

 private:
  static constexpr const char* kPlainLife = "life: start and stop";
  bool plain_life_fails_ = false;
  std::map<std::string, int> slow_;  // by group
};

}  // namespace

std::vector<Result> run_in_children(const Subject& subject, const std::vector<Step>& steps,
                                    const Progress& progress) {
  std::vector<Result> results;
  SkipPolicy skip_policy;
  std::unique_ptr<Child> child;  // runs the steps from results.size() on
  while (results.size() < steps.size()) {
    Result result;
    result.name = steps[results.size()].name;
    const std::string why = skip_policy.reason_to_skip(result.name);
    if (!why.empty()) {
      result.skipped = true;
      result.outcome = {why, "fix that first, then run it again; --only runs one check by itself"};
      if (child) std::exchange(child, nullptr)->stop(false);
    } else {
      if (progress.begun) progress.begun(result.name);
      if (!child) child = std::make_unique<Child>(subject, steps, results.size());
      if (!child->collect(result)) child.reset();
      skip_policy.record(result);
    }
    results.push_back(std::move(result));
    if (progress.ended) progress.ended(results.back());
  }
  if (child) child->stop(true);
  return results;
}

}  // namespace patchbay::app::validate
