#include "password_input.h"

#include <termios.h>
#include <unistd.h>

#include <cstdio>
#include <iostream>

namespace patchbay::app {
namespace {

// Turns off the echo of the terminal for its lifetime.
class NoEcho {
 public:
  NoEcho() {
    changed_ = ::tcgetattr(STDIN_FILENO, &before_) == 0;
    termios quiet = before_;
    quiet.c_lflag &= ~static_cast<tcflag_t>(ECHO);
    if (changed_) ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &quiet);
  }
  NoEcho(const NoEcho&) = delete;
  NoEcho& operator=(const NoEcho&) = delete;
  ~NoEcho() {
    if (changed_) ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &before_);
  }

 private:
  termios before_{};
  bool changed_ = false;
};

std::string read_line() {
  std::string line;
  std::getline(std::cin, line);
  if (!line.empty() && line.back() == '\r') line.pop_back();
  return line;
}

std::string ask_for(const std::string& prompt) {
  std::fputs(prompt.c_str(), stderr);
  const NoEcho no_echo;
  std::string line = read_line();
  std::fputs("\n", stderr);
  return line;
}

}  // namespace

Result<std::string> read_password(const std::string& whose) {
  const bool terminal = ::isatty(STDIN_FILENO) == 1;
  std::string password = terminal ? ask_for("Password of " + whose + ": ") : read_line();
  if (password.empty()) return {Code::invalid, "no password was entered"};
  if (terminal && ask_for("Again: ") != password) return {Code::invalid, "the two passwords differ"};
  return password;
}

}  // namespace patchbay::app
