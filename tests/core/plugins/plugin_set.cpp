#include <doctest/doctest.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include "support/linked_plugin.h"
#include "support/test_server.h"

namespace {

using patchbay::Config;
using patchbay::Plugin;
using patchbay::Status;
using patchbay::test::LinkedPlugin;
using patchbay::test::TestServer;

std::atomic<int> alive{0};
std::string trace;  // written on strands one after the other

struct Recorder : Plugin {
  Recorder() { ++alive; }
  ~Recorder() override { --alive; }
};

struct Base final : Recorder {
  static constexpr char manifest[] = R"({"id": "base", "version": "1.0.0", "provides": ["test.base/1"]})";
  static constexpr char store_sql[] = "";
  Status start(const Config&) override {
    trace += "base started, ";
    return {};
  }
  void stop(patchbay::Done done) override {
    trace += "base stopped";
    done();
  }
};

struct Upper final : Recorder {
  static constexpr char manifest[] =
      R"({"id": "upper", "version": "1.0.0", "requires": ["test.base/1"],
          "config": {"plugin": {"type": "object", "properties": {"word": {"type": "string", "default": "none"}}}}})";
  static constexpr char store_sql[] = "";
  Status start(const Config& config) override {
    trace += "upper started with " + std::string(config.plugin().text("word", "")) + ", ";
    return {};
  }
  Status check_config(const Config& config) override {
    if (config.plugin().text("word", "") == "bad") return {patchbay::Code::invalid, "word must not be bad"};
    return {};
  }
  void reconfigure(const Config& config) override {
    trace += "upper has " + std::string(config.plugin().text("word", "")) + ", ";
  }
  void stop(patchbay::Done done) override {
    trace += "upper stopped, ";
    done();
  }
};

struct Thrower final : Recorder {
  static constexpr char manifest[] = R"({"id": "thrower", "version": "1.0.0"})";
  static constexpr char store_sql[] = "";
  Status start(const Config&) override { throw std::runtime_error("no luck"); }
};

struct Refuser final : Recorder {
  static constexpr char manifest[] =
      R"({"id": "refuser", "version": "1.0.0", "requires": ["test.nowhere/1"]})";
  static constexpr char store_sql[] = "";
  Status start(const Config&) override { return {}; }
};

struct Circle final : Recorder {
  static constexpr char manifest[] =
      R"({"id": "circle", "version": "1.0.0", "provides": ["test.round/1"], "requires": ["test.round/1"]})";
  static constexpr char store_sql[] = "";
  Status start(const Config&) override { return {}; }
};

}  // namespace

TEST_CASE("plugins start after what they require and stop before it") {
  trace.clear();
  {
    TestServer server("plugins: {upper: {word: hi}, base: {}}\ntenants: {localhost: {}}\n", nullptr,
                      {&LinkedPlugin<Upper>::entry, &LinkedPlugin<Base>::entry});
    CHECK(server.start_error() == "");
    CHECK(server.core().report("ready") ==
          R"({"ready":true,"plugins":{"base":"running","upper":"running"}})");
  }
  CHECK(trace == "base started, upper started with hi, upper stopped, base stopped");
  CHECK(alive == 0);
}

TEST_CASE("a plugin that throws in start is named and the others run") {
  trace.clear();
  TestServer server("plugins: {thrower: {}, base: {}}\ntenants: {localhost: {}}\n", nullptr,
                    {&LinkedPlugin<Thrower>::entry, &LinkedPlugin<Base>::entry});
  CHECK(server.start_error() == "thrower not started: no luck");
  CHECK(server.core().report("ready") ==
        R"({"ready":false,"plugins":{"thrower":"failed","base":"running"}})");
}

TEST_CASE("a missing service is refused in one sentence with the fix") {
  TestServer nowhere("plugins: {refuser: {}}\ntenants: {localhost: {}}\n", nullptr,
                     {&LinkedPlugin<Refuser>::entry});
  CHECK(nowhere.start_error() ==
        "refuser not started: it needs test.nowhere/1, which no plugin in the plugin folder provides");
  TestServer absent("plugins: {upper: {}}\ntenants: {localhost: {}}\n", nullptr,
                    {&LinkedPlugin<Upper>::entry, &LinkedPlugin<Base>::entry});
  CHECK(absent.start_error() == "upper not started: it needs test.base/1; add `base:` to `plugins:`");
}

TEST_CASE("circular requirements are refused") {
  TestServer server("plugins: {circle: {}}\ntenants: {localhost: {}}\n", nullptr,
                    {&LinkedPlugin<Circle>::entry});
  CHECK(server.start_error().find("circular dependency") != std::string::npos);
}

TEST_CASE("a reload opens the log file again after it was moved away") {
  const std::string yaml = "plugins: {base: {}}\ntenants: {localhost: {}}\n";
  TestServer server(yaml, nullptr, {&LinkedPlugin<Base>::entry});
  const auto file = server.data().parent_path() / "log";
  std::filesystem::rename(file, file.string() + ".1");
  CHECK(server.reload(yaml).ok());
  CHECK(std::filesystem::exists(file));
  CHECK(server.core().report("metrics").find("patchbay_log_lines_dropped_total 0\n") != std::string::npos);
}

TEST_CASE("a reload is taken by all or by none") {
  trace.clear();
  TestServer server("plugins: {upper: {word: one}, base: {}}\ntenants: {localhost: {}}\n", nullptr,
                    {&LinkedPlugin<Upper>::entry, &LinkedPlugin<Base>::entry});
  CHECK(server.reload("plugins: {upper: {word: two}, base: {}}\ntenants: {localhost: {}}\n").ok());
  const Status refused = server.reload("plugins: {upper: {word: bad}, base: {}}\ntenants: {localhost: {}}\n");
  REQUIRE(!refused.ok());
  CHECK(refused.error().text == "upper: word must not be bad");
  CHECK(trace == "base started, upper started with one, upper has two, ");
}

TEST_CASE("a reload reads the file again, and the environment as it was at the start") {
  trace.clear();
  TestServer server("plugins: {upper: {word: one}, base: {}}\ntenants: {localhost: {}}\n", nullptr,
                    {&LinkedPlugin<Upper>::entry, &LinkedPlugin<Base>::entry}, {},
                    [](patchbay::CoreOptions& options) { options.environment.reset(); });
  REQUIRE(server.start_error() == "");
  ::setenv("PATCHBAY_PLUGIN_UPPER__WORD", "three", 1);
  const Status reloaded =
      server.reload("plugins: {upper: {word: two}, base: {}}\ntenants: {localhost: {}}\n");
  ::unsetenv("PATCHBAY_PLUGIN_UPPER__WORD");
  CHECK(reloaded.ok());
  CHECK(trace == "base started, upper started with one, upper has two, ");
}
