#include <doctest/doctest.h>
#include <patchbay/bus.h>

#include <fstream>
#include <sstream>

#include "example.h"
#include "support/probe_plugin.h"
#include "support/test_server.h"

using namespace patchbay;

TEST_CASE("event-log writes each matching event as a line of JSON, in order, also while it stops") {
  test::TemporaryFolder folder;
  const std::string file = (folder.path() / "events").string();
  const auto written = [&] {
    std::stringstream all;
    all << std::ifstream(file).rdbuf();
    return all.str();
  };
  {
    test::TestServer server("plugins: {probe: {}, event-log: {topics: \"door.*\", file: " + file + "}}\n" +
                                "tenants: {localhost: {}}\n",
                            nullptr, {probe::entry(), test::example("event-log")});
    REQUIRE(server.start_error() == "");
    probe::run([](const Host& host) {
      publish(host, {"door.rang", "localhost", "front", "", R"({"times":2})"});
      publish(host, {"window.broke", "localhost", "back", "", "{}"});
    });
    CHECK(test::eventually([&] { return written().find("front") != std::string::npos; }));
    std::promise<void> published;
    probe::run([&published](const Host& host) {
      for (int i = 0; i < 500; ++i) publish(host, {"door.opened", "localhost", std::to_string(i), "", "{}"});
      published.set_value();
    });
    REQUIRE(published.get_future().wait_for(std::chrono::seconds(10)) == std::future_status::ready);
    CHECK(server.core().stop().ok());
  }
  std::stringstream lines(written());
  std::string line;
  REQUIRE(std::getline(lines, line));
  CHECK(line.find(R"("topic":"door.rang","tenant":"localhost","subject":"front","data":{"times":2}})") !=
        std::string::npos);
  int count = 0;
  for (; std::getline(lines, line); ++count)
    CHECK(line.find(R"("subject":")" + std::to_string(count) + '"') != std::string::npos);
  CHECK(count <= 500);  // undelivered events are not waited for
}
