#include "outbound/route_bodies.h"

#include <doctest/doctest.h>
#include <patchbay/testing/test_environment.h>

using namespace patchbay;
using namespace patchbay::ai_voice;

TEST_CASE("repeated statuses in a query count once, and unknown ones are refused") {
  CHECK(read_statuses("")->empty());
  CHECK(*read_statuses("scheduled,cancelled,scheduled") ==
        std::vector<std::string>{"scheduled", "cancelled"});
  CHECK_FALSE(read_statuses("scheduled,"));
  CHECK_FALSE(read_statuses("ended"));
}

TEST_CASE("the schemas and examples of the routes are valid") {
  testing::TestEnvironment environment;
  for (const http::Route& route : {create_route(), list_route(), get_route(), hangup_route()}) {
    CAPTURE(route.path);
    for (const std::string& schema : {route.request_schema, route.reply_schema, route.query_schema})
      if (!schema.empty()) CHECK(Schema::compile(environment.host(), schema).ok());
    for (const std::string& json : {route.example, route.documents})
      if (!json.empty()) CHECK(environment.host().parse_json(json).ok());
  }
}

TEST_CASE("a call's record fits the schema of the route that returns it") {
  testing::TestEnvironment environment;
  Call call;
  call.status = status::kInFlight;
  const auto schema = Schema::compile(environment.host(), get_route().reply_schema);
  REQUIRE(schema.ok());
  for (const char* limit : {"", "maxCalls (1) of the server"}) {
    call.waits_for = limit;
    JsonWriter out;
    write_call(out, call);
    const std::string text = std::move(out).str();
    CHECK((text.find("waitsFor") != std::string::npos) == !call.waits_for.empty());
    const auto checked = schema->read(text);
    CHECK((checked ? "" : checked.error().text) == "");
  }
}

TEST_CASE("the reply to a request has the result of the whitelist") {
  Call call;
  call.call_id = "oac-1";
  CHECK(create_reply(call, true, "")
            .find(R"("whitelistAdded":true,"whitelistError":null,"bridgeReply":"queued")") !=
        std::string::npos);
  call.scheduled_ms = 1;
  call.waits_for = "maxConcurrentCalls (1) of the tenant";
  CHECK(create_reply(call, true, "").find(R"(,"waitsFor":"maxConcurrentCalls (1) of the tenant"})") !=
        std::string::npos);
  CHECK(create_reply(call, false, "full").find(R"("whitelistError":"full","bridgeReply":"scheduled")") !=
        std::string::npos);
}
