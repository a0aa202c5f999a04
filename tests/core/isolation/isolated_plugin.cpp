// The result of a configuration check for a plugin that runs in a separate process.
#include <doctest/doctest.h>
#include <patchbay/core.h>

#include <chrono>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <string>
#include <thread>

#include "support/test_server.h"
#include "support/within.h"

using namespace patchbay;

namespace {

// Checks a configuration whose one plugin is run by `program`, started under the name `how`.
Checked checked(const char* program, const std::string& how) {
  const test::TemporaryFolder folder;
  std::filesystem::create_symlink(program, folder.path() / how);
  std::filesystem::create_directory(folder.path() / "plugins");
  std::filesystem::create_symlink(ISOLATION_KEEPER, folder.path() / "plugins" / "keeper.so");
  CoreOptions options;
  options.config_file = (folder.path() / "patchbay.yaml").string();
  options.config_text = "plugins: {keeper: {isolation: process}}\ntenants: {localhost: {}}\n";
  options.plugin_dir = (folder.path() / "plugins").string();
  options.plugin_host = (folder.path() / how).string();
  options.environment.emplace();
  if (how == "mute") options.start_deadline_ms = 3000;
  return check_configuration(options);
}

// What processes other than this one have used, at least, of the processor time in the server's load.
int64_t others_ns(const Core& core) {
  const std::string load = core.report("load"), name = "\"cpuNs\":";
  const size_t at = load.find(name);
  REQUIRE(at != std::string::npos);
  const int64_t all_ns = std::strtoll(load.c_str() + at + name.size(), nullptr, 10);
  timespec own{};
  REQUIRE(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &own) == 0);
  return all_ns - (int64_t{own.tv_sec} * 1'000'000'000 + own.tv_nsec);
}

}  // namespace

TEST_CASE("the processor time of an isolated plugin's process is in the server's load, also after its end") {
  test::TestServer server("plugins: {keeper: {isolation: process}}\ntenants: {localhost: {}}\n", nullptr, {},
                          {{"keeper", ISOLATION_KEEPER}});
  REQUIRE(server.start_error() == "");
  constexpr int64_t kStartNs = 1'000'000;  // at least, for loading a program and a plugin
  int64_t used_ns = 0;
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (used_ns < kStartNs && std::chrono::steady_clock::now() < deadline) {
    used_ns = others_ns(server.core());
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  CHECK(used_ns >= kStartNs);
  CHECK(server.core().stop().ok());
  CHECK(others_ns(server.core()) > 0);
}

TEST_CASE("no step of an isolated plugin runs on a thread of the plugin that runs its main strand") {
  test::TestServer server("plugins: {guest: {isolation: process}}\ntenants: {localhost: {}}\n", nullptr, {},
                          {{"guest", ISOLATION_GUEST}});
  REQUIRE(server.start_error() == "");
  CHECK(within(std::chrono::seconds(60), [&] {
    return server.log().find("the plugin's thread runs its main strand") != std::string::npos;
  }));
  const Status stopped = server.core().stop();
  CHECK_MESSAGE(stopped.ok(), server.log());
}

TEST_CASE(
    "a process that ends, hangs or sends invalid frames in a check does not make the configuration invalid") {
  const auto blames = [](const Checked& check, const std::string& why) {
    INFO(check.sentences);
    CHECK(check.sound);
    CHECK_FALSE(check.usable);
    REQUIRE(check.refused.count("keeper") == 1);
    CHECK(check.refused.at("keeper").find(why) != std::string::npos);
  };
  blames(checked("/bin/true", "true"), "its process");
  blames(checked(ISOLATION_MISBEHAVING_HOST, "mute"), "check_config timed out after");
  blames(checked(ISOLATION_MISBEHAVING_HOST, "answers-first"), "it sent an invalid frame");
}

TEST_CASE("a process that cannot be started does not make the configuration invalid") {
  const Checked check = checked("/nowhere/patchbay-plugin-host", "host");
  INFO(check.sentences);
  CHECK(check.sound);
  CHECK_FALSE(check.usable);
  CHECK(check.sentences.find("keeper would not start: the program for isolated plugins") !=
        std::string::npos);
}
