#include "runtime/crash_banner.h"

#include <execinfo.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstring>

#include "runtime/thread_kind.h"

namespace patchbay::core {
namespace {

constexpr std::array kSignals = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

const char* name_of(int number) noexcept {
  switch (number) {
    case SIGSEGV:
      return "SIGSEGV";
    case SIGBUS:
      return "SIGBUS";
    case SIGFPE:
      return "SIGFPE";
    case SIGILL:
      return "SIGILL";
    default:
      return "SIGABRT";
  }
}

const char* name_of(ThreadKind kind) noexcept {
  switch (kind) {
    case ThreadKind::strand:
      return "a strand";
    case ThreadKind::media:
      return "a media loop";
    case ThreadKind::worker:
      return "a worker";
    default:
      return "a thread of its own";
  }
}

// One line, put together without malloc.
class Line {
 public:
  Line& operator<<(const char* text) noexcept {
    const size_t room = text_.size() - size_;
    const size_t length = std::min(std::strlen(text), room);
    std::memcpy(text_.data() + size_, text, length);
    size_ += length;
    return *this;
  }
  void write() const noexcept {
    if (::write(STDERR_FILENO, text_.data(), size_) < 0) return;
  }

 private:
  std::array<char, 400> text_;
  size_t size_ = 0;
};

void say_last_words(int number) {
  Line line;
  line << "patchbay: crashed: " << name_of(number);
  if (const char* owner = current_owner(); owner != nullptr) line << " in plugin '" << owner << "'";
  line << ", on " << name_of(thread_kind()) << "\n";
  line.write();
  std::array<void*, 64> frames;
  ::backtrace_symbols_fd(frames.data(), ::backtrace(frames.data(), static_cast<int>(frames.size())),
                         STDERR_FILENO);
  ::raise(number);  // the default action stands again
}

}  // namespace

void install_crash_banner() {
  std::array<void*, 2> frames;
  static_cast<void>(::backtrace(frames.data(), 2));  // loads what it needs while that is still safe
  static std::array<char, size_t{64} * 1024> spare;
  stack_t stack{};
  stack.ss_sp = spare.data();
  stack.ss_size = spare.size();
  ::sigaltstack(&stack, nullptr);
  for (const int number : kSignals) {
    struct sigaction now {};
    if (::sigaction(number, nullptr, &now) != 0 || now.sa_handler != SIG_DFL) continue;
    struct sigaction action {};
    action.sa_handler = &say_last_words;
    action.sa_flags = SA_ONSTACK | static_cast<int>(SA_RESETHAND) | SA_NODEFER;
    sigemptyset(&action.sa_mask);
    ::sigaction(number, &action, nullptr);
  }
}

}  // namespace patchbay::core
