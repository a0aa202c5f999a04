#include <doctest/doctest.h>
#include <patchbay/bus.h>

#include "example.h"
#include "support/probe_plugin.h"
#include "support/promise.h"
#include "support/test_server.h"

using namespace patchbay;

TEST_CASE("c-plugin counts events and publishes the count") {
  test::TestServer server("plugins: {probe: {}, c-plugin: {topic: \"door.*\"}}\ntenants: {localhost: {}}\n",
                          nullptr, {probe::entry(), test::example("c-plugin")});
  REQUIRE(server.start_error() == "");
  auto third = std::make_shared<test::Promise<std::string>>();
  auto heard = std::make_shared<Subscription>();
  probe::run([=](const Host& host) {
    *heard = *Subscription::open(host, "c-plugin.counted", [third](const Event& event) {
      if (event.subject() == "back") third->set(std::string(event.payload()));
    });
    for (const char* subject : {"front", "front", "back"})
      publish(host, {"door.rang", "localhost", subject, "", "{}"});
    publish(host, {"window.broke", "localhost", "", "", "{}"});
  });
  CHECK(third->get() == R"({"count":3})");
  CHECK(server.core().report("metrics").find("patchbay_c_plugin_events 3") != std::string::npos);
  auto gone = std::make_shared<test::Promise<bool>>();
  probe::run([=](const Host&) {
    *heard = Subscription();
    gone->set(true);
  });
  CHECK(gone->get().has_value());
  CHECK(server.core().stop().ok());
}
