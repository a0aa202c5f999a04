#include "integration/terminal.h"

#include <poll.h>
#include <pty.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>

namespace patchbay::test {
namespace {

// Types the next line when the program asks for it: it has shown a prompt and turned the echo off, which
// discards what was typed before.
class Typist {
 public:
  Typist(int terminal, const std::vector<std::string>& lines) : terminal_(terminal), lines_(lines) {}

  void look_at(const std::string& shown) {
    termios settings{};
    if (typed_ == lines_.size() || ::tcgetattr(terminal_, &settings) != 0 || (settings.c_lflag & ECHO) != 0)
      return;
    size_t prompts = 0;
    for (size_t at = shown.find(": "); at != std::string::npos; at = shown.find(": ", at + 1)) ++prompts;
    if (prompts <= typed_) return;
    const std::string line = lines_[typed_++] + "\n";
    CHECK(::write(terminal_, line.data(), line.size()) == static_cast<ssize_t>(line.size()));
  }

 private:
  int terminal_;
  const std::vector<std::string>& lines_;
  size_t typed_ = 0;
};

// What is shown until the program closes the terminal. A program that does not is killed.
std::string shown_on(int terminal, pid_t pid, const std::vector<std::string>& typed) {
  Typist typist(terminal, typed);
  std::string text;
  bool is_closed = false;
  std::array<char, 4096> octets;
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (!is_closed && std::chrono::steady_clock::now() < end) {
    typist.look_at(text);
    pollfd ready{terminal, POLLIN, 0};
    if (::poll(&ready, 1, 10) <= 0) continue;
    const ssize_t size = ::read(terminal, octets.data(), octets.size());
    is_closed = size <= 0;
    if (!is_closed) text.append(octets.data(), static_cast<size_t>(size));
  }
  if (!is_closed) ::kill(pid, SIGKILL);
  text.erase(std::remove(text.begin(), text.end(), '\r'), text.end());
  return text;
}

}  // namespace

std::pair<int, std::string> run_on_terminal(const Program& program, std::vector<std::string> arguments,
                                            const std::vector<std::string>& typed) {
  arguments.insert(arguments.begin(), std::getenv("PATCHBAY_PROGRAM"));
  std::vector<char*> words;
  for (std::string& word : arguments) words.push_back(word.data());
  words.push_back(nullptr);
  int terminal = -1;
  const pid_t pid = ::forkpty(&terminal, nullptr, nullptr, nullptr);
  if (pid == 0) {
    if (::chdir(program.folder.path().c_str()) == 0) ::execv(words[0], words.data());
    ::_exit(127);
  }
  REQUIRE(pid > 0);
  std::string text = shown_on(terminal, pid, typed);
  ::close(terminal);
  int status = 0;
  ::waitpid(pid, &status, 0);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), std::move(text)};
}

}  // namespace patchbay::test
