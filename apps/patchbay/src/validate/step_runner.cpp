#include "validate/step_runner.h"

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

#include "plugins/plugin_source.h"

namespace patchbay::app::validate {
namespace {

using Clock = std::chrono::steady_clock;

enum class Word : uint32_t { begun, note, reason, cure, over };

struct Head {
  Word word;
  uint32_t size;
};

bool put(int fd, const void* bytes, size_t size) {
  for (const char* at = static_cast<const char*>(bytes); size > 0;) {
    const ssize_t count = ::write(fd, at, size);
    if (count <= 0) return false;
    at += count;
    size -= static_cast<size_t>(count);
  }
  return true;
}

void say(int fd, Word word, const std::string& text = {}) {
  const Head head{word, static_cast<uint32_t>(text.size())};
  if (!put(fd, &head, sizeof head) || !put(fd, text.data(), text.size())) ::_exit(1);
}

// A network of its own, with nothing in it but itself: what a plugin is made to do reaches nobody, and fixed
// ports are free. Where that is not allowed the tests go without.
void leave_network() {
  if (::unshare(CLONE_NEWNET) != 0 && ::unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0) return;
  const Descriptor fd(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!fd) return;
  ifreq loopback{};
  std::strcpy(loopback.ifr_name, "lo");
  loopback.ifr_flags = IFF_UP | IFF_RUNNING;
  static_cast<void>(::ioctl(fd.get(), SIOCSIFFLAGS, &loopback));
}

Outcome run_step(const Step& step, const Run& run) {
  try {
    return step.run(run);
  } catch (const std::exception& error) {
    return {std::string("the check itself failed: ") + error.what(), "report this"};
  }
}

[[noreturn]] void run_child(const Subject& subject, const std::vector<Step>& steps, size_t first,
                            int to_parent, int output) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::dup2(output, STDOUT_FILENO);
  ::dup2(output, STDERR_FILENO);
  ::mallopt(M_ARENA_MAX, 1);  // so that mallinfo2 sees all of the heap
  leave_network();
  if (::access("/dev/shm", W_OK) == 0)
    ::setenv("TMPDIR", "/dev/shm", 0);  // the stores of the tests live for moments
  core::PluginSource source;
  source.file = subject.file;
  source.manifest = subject.manifest;
  const Status loaded = core::load_plugin(source);
  for (size_t i = first; i < steps.size(); ++i) {
    say(to_parent, Word::begun, std::to_string(i));
    Outcome outcome{loaded ? "" : "it cannot be loaded: " + loaded.error().text,
                    "see `patchbay plugin doctor`"};
    if (loaded) {
      outcome = run_step(steps[i], {subject, *source.entry, [to_parent](const std::string& text) {
                                      say(to_parent, Word::note, text);
                                    }});
    }
    say(to_parent, Word::reason, outcome.reason);
    say(to_parent, Word::cure, outcome.cure);
    say(to_parent, Word::over);
  }
  ::_exit(0);
}

std::string line_at(const std::string& text, size_t at) {
  const size_t begin = text.rfind('\n', at);
  const size_t start = begin == std::string::npos ? 0 : begin + 1;
  return text.substr(start, std::min(text.find('\n', at), text.size()) - start);
}

// The line of a crash that says most, or the last.
std::string telling_line(int output) {
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

  // The result of the step that the child runs now. False: the child has ended in it.
  bool collect(Result& result) {
    const auto begun = Clock::now();
    const bool whole = read_result(result.outcome);
    if (!whole) result.outcome = ended(result.outcome);
    result.ms = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begun).count();
    return whole;
  }
  void finish(bool all_done) {
    if (!all_done) ::kill(pid_, SIGKILL);
    int ignored = 0;
    ::waitpid(pid_, &ignored, 0);
  }

 private:
  bool read_result(Outcome& outcome) {
    const auto end = Clock::now() + std::chrono::seconds(kStepSec + static_cast<int>(subject_.fuzz_sec));
    note_.clear();
    Head head{};
    for (std::string text; read_word(head, text, end);) {
      if (head.word == Word::note) note_ = text;
      if (head.word == Word::reason) outcome.reason = text;
      if (head.word == Word::cure) outcome.cure = text;
      if (head.word == Word::over) return true;
    }
    return false;
  }
  bool read_word(Head& head, std::string& text, Clock::time_point end) {
    if (!get(&head, sizeof head, end)) return false;
    text.resize(head.size);
    return get(text.data(), text.size(), end);
  }
  bool get(void* bytes, size_t size, Clock::time_point end) {
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
  // Why the child did not get on.
  Outcome ended(const Outcome& so_far) {
    if (timed_out_) ::kill(pid_, SIGKILL);
    int status = 0;
    ::waitpid(pid_, &status, 0);
    const std::string where = note_.empty() ? "" : " (" + note_ + ")";
    if (timed_out_) {
      return {"it did not come back within " + std::to_string(kStepSec) + " s" + where,
              "call `done` in every case, and wait for nothing on a strand"};
    }
    static_cast<void>(so_far);
    std::string what = WIFSIGNALED(status)
                           ? std::string("it crashed with ") + ::strsignal(WTERMSIG(status))
                           : "it ended the process with " + std::to_string(WEXITSTATUS(status));
    const std::string line = telling_line(output_.get());
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

}  // namespace

namespace {

std::string group_of(const std::string& name) { return name.substr(0, name.find(':')); }

// What the results so far say of those still to come.
class Course {
 public:
  void learn(const Result& result) {
    if (result.outcome.passed()) return;
    if (result.name == kPlainLife) plain_life_fails_ = true;
    if (result.ms >= kSlowMs) ++slow_[group_of(result.name)];
  }
  // Why it is left out; empty: it runs.
  std::string left_out(const std::string& name) const {
    if (plain_life_fails_ && name != "life: create and destroy" && name != "config: what it refuses")
      return std::string("`") + kPlainLife + "` has failed, and this needs it";
    const std::string group = group_of(name);
    const auto slow = slow_.find(group);
    if (slow != slow_.end() && slow->second >= kMostSlow)
      return std::to_string(slow->second) + " checks of `" + group + "` did not come to an end";
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
  Course course;
  std::unique_ptr<Child> child;  // runs the steps from results.size() on
  while (results.size() < steps.size()) {
    Result result;
    result.name = steps[results.size()].name;
    const std::string why = course.left_out(result.name);
    if (!why.empty()) {
      result.left_out = true;
      result.outcome = {why, "cure that first, then run it again; --only runs one check by itself"};
      if (child) std::exchange(child, nullptr)->finish(false);
    } else {
      if (progress.begun) progress.begun(result.name);
      if (!child) child = std::make_unique<Child>(subject, steps, results.size());
      if (!child->collect(result)) child.reset();
      course.learn(result);
    }
    results.push_back(std::move(result));
    if (progress.ended) progress.ended(results.back());
  }
  if (child) child->finish(true);
  return results;
}

}  // namespace patchbay::app::validate
