// A test that is built with another standard library than the fake host, without exceptions and RTTI.
#include <patchbay/testing/fake_host.h>

#include <cstdio>

using namespace patchbay::testing;

int main(int, char** arguments) {
  FakeHost host(arguments[1]);
  const std::string started = why(host.start(R"({"greeting": "moin"})"));
  const auto answer = host.get("/hello");
  const std::string stopped = why(host.stop());
  std::printf("start: %s\nanswer: %s\nstop: %s\nproblems: %s\n", started.c_str(), answer.body.c_str(),
              stopped.c_str(), host.problem_text().c_str());
  return started.empty() && answer.body == R"({"text":"moin"})" && stopped.empty() &&
                 host.problem_text().empty()
             ? 0
             : 1;
}
