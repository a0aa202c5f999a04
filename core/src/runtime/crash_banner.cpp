#include "runtime/crash_banner.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <string_view>

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
      return "another thread";
  }
}

// A line of output, built without malloc.
class Line {
 public:
  Line& operator<<(std::string_view text) noexcept {
    const size_t room = text_.size() - size_;
    const size_t length = std::min(text.size(), room);
    std::memcpy(text_.data() + size_, text.data(), length);
    size_ += length;
    return *this;
  }
  Line& operator<<(uintptr_t value) noexcept {
    std::array<char, 16> digits;
    size_t at = digits.size();
    do digits[--at] = "0123456789abcdef"[value % 16];
    while ((value /= 16) != 0);
    return *this << "0x" << std::string_view(digits.data() + at, digits.size() - at);
  }
  void write() const noexcept {
    if (::write(STDERR_FILENO, text_.data(), size_) < 0) return;
  }

 private:
  std::array<char, 1200> text_;
  size_t size_ = 0;
};

// Prints one addr2line command per binary on the stack. Skips the C library, whose frames surround every
// crash.
void print_addr2line_commands(void* const* frames, size_t count) noexcept {
  constexpr size_t kMaxFiles = 4;
  std::array<const void*, kMaxFiles> printed{};
  size_t files = 0;
  for (size_t i = 0; i < count && files < kMaxFiles; ++i) {
    Dl_info of{};
    if (::dladdr(frames[i], &of) == 0 || of.dli_fname == nullptr || of.dli_fbase == nullptr) continue;
    if (std::find(printed.begin(), printed.end(), of.dli_fbase) != printed.end()) continue;
    if (std::strstr(of.dli_fname, "/libc.so") != nullptr) continue;
    printed[files++] = of.dli_fbase;
    Line line;
    line << "patchbay: source lines: addr2line -Cfipe " << of.dli_fname;
    for (size_t j = i; j < count; ++j) {
      Dl_info other{};
      if (::dladdr(frames[j], &other) == 0 || other.dli_fbase != of.dli_fbase) continue;
      const auto offset = reinterpret_cast<uintptr_t>(frames[j]) - reinterpret_cast<uintptr_t>(of.dli_fbase);
      line << " " << offset;
    }
    line << "\n";
    line.write();
  }
}

void print_banner(int number) {
  Line line;
  line << "patchbay: crashed: " << name_of(number);
  if (const char* owner = current_owner(); owner != nullptr) line << " in plugin '" << owner << "'";
  if (thread_state.what != nullptr) {
    line << ", in its " << thread_state.what;
    if (!thread_state.detail.empty()) line << " '" << thread_state.detail << "'";
  }
  line << ", on " << name_of(thread_kind()) << "\n";
  line.write();
  std::array<void*, 64> frames;
  const int count = ::backtrace(frames.data(), static_cast<int>(frames.size()));
  ::backtrace_symbols_fd(frames.data(), count, STDERR_FILENO);
  print_addr2line_commands(frames.data(), static_cast<size_t>(std::max(count, 0)));
  ::raise(number);  // SA_RESETHAND has restored the default action
}

}  // namespace

void install_crash_banner() {
  std::array<void*, 2> frames;
  // The first call loads libgcc, which is not safe in a signal handler.
  static_cast<void>(::backtrace(frames.data(), 2));
  static std::array<char, size_t{64} * 1024> spare;
  stack_t stack{};
  stack.ss_sp = spare.data();
  stack.ss_size = spare.size();
  ::sigaltstack(&stack, nullptr);
  for (const int number : kSignals) {
    struct sigaction now {};
    if (::sigaction(number, nullptr, &now) != 0 || now.sa_handler != SIG_DFL) continue;
    struct sigaction action {};
    action.sa_handler = &print_banner;
    action.sa_flags = SA_ONSTACK | static_cast<int>(SA_RESETHAND) | SA_NODEFER;
    sigemptyset(&action.sa_mask);
    ::sigaction(number, &action, nullptr);
  }
}

}  // namespace patchbay::core
