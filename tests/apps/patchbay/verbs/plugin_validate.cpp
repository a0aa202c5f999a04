// `patchbay plugin validate` names what a plugin does wrong. CMakeLists.txt has a test for each plugin that
// has to pass.
#include <doctest/doctest.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "support/child_process.h"
#include "support/sanitizers.h"

using namespace patchbay;

namespace {

// Returns the output, with the exit code as the last line.
std::string validate(const std::string& fault, std::vector<std::string> more) {
  const test::TempFolder folder;
  std::vector<std::string> command{std::getenv("PATCHBAY_PROGRAM"), "plugin", "validate", TEST_BAD_PLUGIN};
  if (!fault.empty()) command.insert(command.end(), {"--config", "{\"fault\": \"" + fault + "\"}"});
  command.insert(command.end(), more.begin(), more.end());
  auto child = test::Child::spawn(command, folder.path(), folder.file("says"));
  REQUIRE(child.ok());
  const auto code = child->wait(std::chrono::seconds(200));
  return test::read_text(folder.file("says")) + std::to_string(code.value_or(-1));
}
// AddressSanitizer ends the process with its exit code.
constexpr const char* kBadAccess =
    test::kHasAddressSanitizer ? "it ended the process with 1: " : "it crashed with ";

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("validate names each fault with the check, the reason and a fix") {
  struct Case {
    const char* fault;
    const char* only;
    const char* check;
    const char* reason;
  };
  const std::vector<Case> cases{
      {"crash", "life: start and stop", "FAIL  life: start and stop", "it crashed with Aborted"},
      {"hang", "life: start and stop", "FAIL  life: start and stop", "start timed out"},
      {"lease", "life: start and stop", "FAIL  life: start and stop",
       "left-behind: destroyed with 1 lease still held"},
      {"throws", "threads", "FAIL  threads", "thrown: a callback threw an exception: where=event what=no"},
      {"media", "threads", "FAIL  threads", "media-thread: publish() was called on a media loop"},
      {"seal", "host: store.seal", "FAIL  host: store.seal fails", kBadAccess},
      {"heap", "leaks", "FAIL  leaks", "the heap grows by "},
      {"descriptor", "leaks", "FAIL  leaks", "open descriptors grow by 20 in 20 starts and stops"},
      {"thread", "leaks", "FAIL  leaks", "threads grow by 20 in 20 starts and stops"},
  };
  for (const Case& each : cases) {
    const std::string said = validate(each.fault, {"--only", each.only, "--cycles", "20"});
    CAPTURE(each.fault);
    INFO(said);
    CHECK(has(said, each.check));
    CHECK(has(said, each.reason));
    CHECK(has(said, "fix: "));
    CHECK(said.back() == '1');
  }
}

TEST_CASE("a cache that is full after a hundred starts is not reported as a leak") {
  const std::string said = validate("cache", {"--only", "leaks", "--cycles", "20"});
  INFO(said);
  CHECK(has(said, "ok    leaks"));
}

TEST_CASE("validate continues after a crash, and a plugin without faults passes") {
  const std::string crashed = validate("crash", {"--only", "life: stop at once", "--only", "life: create"});
  CHECK(has(crashed, "FAIL  life: stop at once"));
  CHECK(has(crashed, "ok    life: create and destroy"));
  const std::string good = validate("", {"--only", "life", "--only", "threads", "--only", "host"});
  INFO(good);
  CHECK_FALSE(has(good, "FAIL"));
  CHECK(good.back() == '0');
}

TEST_CASE("a plugin that does not start fails one check, and those that depend on it are skipped") {
  const std::string said = validate("hang", {"--only", "life", "--only", "threads", "--only", "leaks"});
  INFO(said);
  CHECK(has(said, "FAIL  life: start and stop"));
  CHECK(has(said, "skip  life: stop at once: `life: start and stop` has failed, and this needs it"));
  CHECK(has(said, "skip  leaks: "));
  CHECK(has(said, "skip  life: without the services it knows"));
  CHECK(has(said, "ok    life: create and destroy"));
  size_t failures = 0;
  for (size_t at = said.find("FAIL"); at != std::string::npos; at = said.find("FAIL", at + 1)) ++failures;
  CHECK(failures == 1);
  CHECK(has(said, " skipped, seed 1"));
}

TEST_CASE("the result of a check is printed when it ends") {
  const test::TempFolder folder;
  auto child = test::Child::spawn({std::getenv("PATCHBAY_PROGRAM"), "plugin", "validate", TEST_BAD_PLUGIN,
                                   "--only", "life", "--only", "fuzz", "--fuzz", "600"},
                                  folder.path(), folder.file("says"));
  REQUIRE(child.ok());
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!has(test::read_text(folder.file("says")), "ok    life: with services that refuse") &&
         std::chrono::steady_clock::now() < until)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  CHECK(has(test::read_text(folder.file("says")), "ok    life: with services that refuse"));
  child->signal(SIGKILL);
  static_cast<void>(child->wait(std::chrono::seconds(20)));
}

TEST_CASE("a missing file fails one check, and its contents are not checked") {
  const test::TempFolder folder;
  auto child = test::Child::spawn({std::getenv("PATCHBAY_PROGRAM"), "plugin", "validate", "nope.so"},
                                  folder.path(), folder.file("says"));
  REQUIRE(child.ok());
  CHECK(child->wait(std::chrono::seconds(60)).value_or(-1) == 4);
  const std::string said = test::read_text(folder.file("says"));
  INFO(said);
  CHECK(has(said, "FAIL  file"));
  CHECK_FALSE(has(said, "ok    "));
  CHECK(has(said, "0 of 1 checks passed"));
}

TEST_CASE("validate requires a type for each key and an error text for each refusal") {
  CHECK(has(validate("", {"--only", "config: what it refuses"}), "its key loose takes a value of any type"));
  CHECK(has(validate("mute", {"--only", "config: what it allows"}),
            R"(it refuses {"fault": "mute"} without an error text)"));
}

TEST_CASE("the same seed gives the same result") {
  const std::vector<std::string> how{"--only", "fuzz", "--fuzz", "20", "--seed", "7"};
  const std::string first = validate("throws", how);
  INFO(first);
  CHECK(has(first, "again with --fuzz 60 --seed 7"));
  CHECK(validate("throws", how) == first);
}

TEST_CASE("a file that cannot be loaded has its exit code, and results can be printed as JSON") {
  const test::TempFolder folder;
  const auto run = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {std::getenv("PATCHBAY_PROGRAM"), "plugin", "validate"});
    auto child = test::Child::spawn(arguments, folder.path(), folder.file("says"));
    REQUIRE(child.ok());
    return child->wait(std::chrono::seconds(60)).value_or(-1);
  };
  CHECK(run({"/bin/true"}) == 4);
  CHECK(run({TEST_BAD_PLUGIN, "--only", "nonsense"}) == 2);
  CHECK(has(validate("", {"--json", "--only", "exports"}),
            R"("plugin":"bad-plugin","passed":true,"seed":1,"checks":[{"name":"exports","passed":true,)"));
}
