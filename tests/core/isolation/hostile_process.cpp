// Processes that misbehave: the server ends them, reports why, and continues.
#include <doctest/doctest.h>
#include <patchbay/core.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

#include "support/test_server.h"

namespace {

using namespace patchbay;

struct Server {
  test::TemporaryFolder folder;
  std::unique_ptr<Core> core;
  std::string start_error;

  explicit Server(const std::string& how, const char* program = ISOLATION_MISBEHAVING_HOST) {
    std::filesystem::create_symlink(program, folder.path() / how);
    std::filesystem::create_directory(folder.path() / "plugins");
    std::filesystem::create_symlink(ISOLATION_KEEPER, folder.path() / "plugins" / "keeper.so");
    CoreOptions options;
    options.config_file = (folder.path() / "patchbay.yaml").string();
    options.config_text =
        "server: {data: data, management: {listen: \"127.0.0.1:0\"}}\n"
        "plugins: {keeper: {isolation: process, restarts: {most: 1, within_s: 600}}}\ntenants: {localhost: "
        "{}}\n";
    options.plugin_dir = (folder.path() / "plugins").string();
    options.plugin_host = (folder.path() / how).string();
    options.environment.emplace();
    options.log_file = (folder.path() / "log").string();
    if (how == "mute") options.start_deadline_ms = 3000;
    auto made = Core::create(std::move(options));
    if (!made) FAIL(made.error().text);
    core = std::move(*made);
    const Status started = core->start();
    start_error = started ? "" : started.error().text;
  }
  ~Server() { static_cast<void>(core->stop()); }

  std::string log() const {
    std::ifstream in(folder.path() / "log");
    return {std::istreambuf_iterator<char>(in), {}};
  }
  bool logs(const std::string& part) const {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (std::chrono::steady_clock::now() < deadline) {
      if (log().find(part) != std::string::npos) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return false;
  }
  bool says(const char* what, const std::string& part) const {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (std::chrono::steady_clock::now() < deadline) {
      if (core->report(what).find(part) != std::string::npos) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return false;
  }
};

// Checks that it starts, then sends invalid frames, is killed, restarted, and quarantined.
void is_quarantined(const std::string& how, const std::string& why) {
  CAPTURE(how);
  const Server server(how);
  CHECK(server.start_error == "");
  CHECK(server.says("plugins", "quarantined"));
  INFO(server.core->report("plugins"));
  CHECK(server.core->report("plugins").find(why) != std::string::npos);
  CHECK(server.says("ready", R"("keeper":"quarantined")"));
  CHECK(server.core->stop().ok());
}

}  // namespace

TEST_CASE("a process that sends invalid frames is ended, and quarantined when it does so again") {
  for (const char* how : {"garbage", "short", "bad-interface", "large-without-memory", "claims-much",
                          "calls-unknown", "calls-local", "same-metric-number"})
    is_quarantined(how, "it sent an invalid frame");
}

TEST_CASE("a process that answers before it is asked does not start") {
  const Server server("answers-first");
  CHECK(server.start_error.find("keeper not started: it sent an invalid frame") != std::string::npos);
}

TEST_CASE("a process that never answers its start is killed before the deadline") {
  const Server server("mute");
  CHECK(server.start_error.find("start timed out after 2500 ms") != std::string::npos);
}

TEST_CASE("a process that refuses its start and stays is killed and reported") {
  const Server server("refuses-and-stays");
  CHECK(server.start_error.find("keeper not started: it has a reason") != std::string::npos);
}

TEST_CASE("a process whose child holds the channel is ended, and restarted") {
  const Server server("leaves-a-child");
  CHECK(server.start_error == "");
  CHECK(server.says("plugins", "quarantined"));  // after its restart it did so again
  CHECK(server.core->report("plugins").find("its process was ended by signal 6") != std::string::npos);
  CHECK(server.core->stop().ok());
}

TEST_CASE("a process may publish only what its manifest provides") {
  const Server server("unprovided", ISOLATION_GREEDY_HOST);
  CHECK(server.start_error == "");
  CHECK(server.logs("it was refused and lives"));
  CHECK(server.says("plugins", "running"));
}

TEST_CASE("a process that closes its channel without exiting is ended") {
  const Server server("leaves");
  CHECK(server.start_error.find("its process was ended by signal 9") != std::string::npos);
}

TEST_CASE("a process that asks for more than a plugin may have is refused and lives on") {
  for (const std::string how : {"many-metrics", "many-secrets", "large-secrets", "many-leases", "many-calls",
                                "many-unanswered", "heavy-calls", "many-interfaces", "large-interfaces",
                                "many-things", "heavy-watches", "heavy-transaction"}) {
    CAPTURE(how);
    const Server server(how, ISOLATION_GREEDY_HOST);
    CHECK(server.start_error == "");
    CHECK(server.logs("it was refused and lives"));
    INFO(server.log());
    CHECK(server.logs("an isolated plugin has too many"));
    CHECK(server.says("plugins", "running"));
    CHECK(server.log().find("the plugin's process has ended") == std::string::npos);
  }
}

TEST_CASE("a process that floods the server is slowed down and harms no other") {
  const Server server("floods");
  CHECK(server.start_error == "");
  CHECK(server.says("plugins", "quarantined"));  // it ends by itself, twice
}
