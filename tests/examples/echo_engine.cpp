// A call with the example engine: a SIP telephone hears its echo.
#include <doctest/doctest.h>

#include "example.h"
#include "integration/calls/call_server.h"
#include "integration/calls/phone.h"

using namespace patchbay::test;

TEST_CASE("echo-engine is selected by its model, and the callee hears an echo") {
  Phone phone;
  CallServer::Options options;
  options.trunks = {{"main", phone.port()}};
  options.plugins = "  echo-engine: {delayMs: 100}\n";
  options.linked = {example("echo-engine")};
  CallServer server(options);
  const std::string id = server.create(R"(,"model":"echo")");
  const CallRecord answered = server.wait(id, "in-flight");
  INFO(answered.body);
  REQUIRE(eventually([&] { return server.get(id).text("answeredAtUtc") != ""; }));
  CHECK(phone.heard_ms() == 0);
  phone.speak(1000);
  CHECK(phone.hears(800));
  CHECK(server.hangup(id).status == 200);
  const CallRecord ended = server.wait(id, "cancelled");
  INFO(ended.body);
  CHECK(ended.text("status") == "cancelled");
  CHECK(server.idle());
  CHECK(server.server().core().stop().ok());
}
