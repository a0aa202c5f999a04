#include "runtime/crash_banner.h"

#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <string>

#include "runtime/thread_kind.h"

using namespace patchbay::core;

TEST_CASE("a crash reports the signal and the plugin, and the process still dies of the signal") {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const rlimit none{0, 0};
    ::setrlimit(RLIMIT_CORE, &none);
    ::dup2(ends[1], STDERR_FILENO);
    for (const int number : {SIGSEGV, SIGABRT})
      std::signal(number, SIG_DFL);  // remove the test framework's handlers
    install_crash_banner();
    thread_state.kind = ThreadKind::worker;
    const OwnerScope scope("hello-plugin");
    const CallbackScope callback("event", "call.answered");
    ::raise(SIGSEGV);
    ::_exit(0);
  }
  ::close(ends[1]);
  std::string text;
  char buffer[4096];
  for (ssize_t size; (size = ::read(ends[0], buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<size_t>(size));
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  CHECK(WIFSIGNALED(status));
  CHECK(WTERMSIG(status) == SIGSEGV);
  CAPTURE(text);
  CHECK(
      text.rfind(
          "patchbay: crashed: SIGSEGV in plugin 'hello-plugin', in its event 'call.answered', on a worker\n",
          0) == 0);
  CHECK(text.find("\npatchbay: source lines: addr2line -Cfipe ") != std::string::npos);
  CHECK(text.find("test-core-runtime 0x") != std::string::npos);
}
