#include "integration/terminal.h"

#include <poll.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>

namespace patchbay::test {
namespace {

// What is shown until the program closes the terminal. A program that does not is killed.
std::string shown_on(int terminal, pid_t pid) {
  std::string text;
  bool is_closed = false;
  std::array<char, 4096> octets;
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (!is_closed && std::chrono::steady_clock::now() < end) {
    pollfd ready{terminal, POLLIN, 0};
    if (::poll(&ready, 1, 100) <= 0) continue;
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
                                            const std::string& typed) {
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
  CHECK(::write(terminal, typed.data(), typed.size()) == static_cast<ssize_t>(typed.size()));
  std::string text = shown_on(terminal, pid);
  ::close(terminal);
  int status = 0;
  ::waitpid(pid, &status, 0);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), std::move(text)};
}

}  // namespace patchbay::test
