// Isolated plugins that die during a call, the one that dialled it or the one that places it: the call ends
// at the callee, and the server keeps no resources of it.
#include <doctest/doctest.h>

#include <chrono>
#include <string>

#include "../calls/call_server.h"
#include "dialler.h"
#include "plugin_hosts.h"
#include "support/gemini_server.h"
#include "support/probe_requests.h"
#include "support/sipp_peer.h"
#include "support/test_store.h"

namespace {

using namespace patchbay;
using isolation_test::kill_plugin_hosts;
using isolation_test::metric;

// The number of rows of `what`, a table and perhaps a WHERE.
std::string count(const test::TestServer& server, const std::string& what) {
  return test::sql_value(server.data() / "patchbay.db", "SELECT COUNT(*) FROM " + what).value_or("?");
}

}  // namespace

TEST_CASE("the calls of an ai-voice whose process is killed end, ringing and answered") {
  const support::GeminiServer gemini;
  for (const bool answered : {false, true}) {
    CAPTURE(answered);
    test::Sipp sipp = test::start_sipp(answered ? "answer" : "no_answer");
    test::CallServer::Options options;
    options.trunks = {{"main", sipp.port()}};
    options.engine_gemini = "{url: \"" + gemini.url() + "\", caFile: " + gemini.ca_file() + "}";
    options.ai_voice_server = "isolation: process";
    test::CallServer server(options);
    const std::string id = server.create();
    if (answered)
      REQUIRE(server.wait(id, "in-flight").text("status") == "in-flight");
    else
      REQUIRE(server.logged("rings"));

    CHECK(kill_plugin_hosts() == 1);
    const test::CallRecord record = server.wait(id, "ended-failed-final");
    INFO(server.server().log());
    CHECK(record.text("status") == "ended-failed-final");
    CHECK(record.text("errorDetail") == "interrupted");
    CHECK(record.text("endedReason") == (answered ? "far-hangup" : "no-answer"));
    CHECK(server.hangup(id).status == 200);
    CHECK(server.last_event(id, "outbound-ai.finished").root().text("errorDetail", "") == "interrupted");
    CHECK((server.transcript(id) != "") == answered);
    CHECK(count(server.server(), "ai_voice_call WHERE api_key IS NOT NULL") == "0");
    test::check_sipp(sipp);
    CHECK(server.idle());
    CHECK(probe::eventually(
        [&] { return server.metric("patchbay_engine_sessions{engine=\"gemini-live\"}") == 0; }));
  }
}

TEST_CASE("a call of a telephony plugin whose process is killed ends at the callee") {
  test::Sipp sipp = isolation_test::answering();
  isolation_test::Dialler server(sipp.port(), "", "isolation: process, ");
  REQUIRE(server.start_error() == "");
  INFO(server.log());
  server.give("test.dial", "+4930123456");
  REQUIRE(probe::eventually([&] { return count(server, "sip_trunk_dialog") == "1"; }));
  CHECK(sipp.messages().find("BYE sip:") == std::string::npos);

  CHECK(kill_plugin_hosts() == 1);
  CHECK(probe::eventually([&] { return sipp.messages().find("BYE sip:") != std::string::npos; }));
  CHECK(sipp.result() == 0);
}

TEST_CASE("a call without a listener ends with the plugin that dialled it") {
  test::Sipp sipp = isolation_test::answering();
  isolation_test::Dialler server(sipp.port(), "isolation: process", "");
  REQUIRE(server.start_error() == "");
  server.give("test.dial-unheard", "+4930123456");
  REQUIRE(probe::eventually([&] { return count(server, "sip_trunk_dialog") == "1"; }));
  CHECK(sipp.messages().find("BYE sip:") == std::string::npos);
  server.give("test.crash", "now");
  CHECK(probe::eventually([&] { return sipp.messages().find("BYE sip:") != std::string::npos; }));
  CHECK(sipp.result() == 0);
  CHECK(probe::eventually([&] { return metric(server.core(), "patchbay_sip_trunk_legs") == 0; }));
}

TEST_CASE("a call of a plugin that crashes in a separate process ends at the other side and in the server") {
  test::Sipp sipp = isolation_test::answering();
  isolation_test::Dialler server(sipp.port(), "isolation: process", "");
  REQUIRE(server.start_error() == "");
  Core& core = server.core();

  server.give("test.dial", "+4930123456");
  CHECK(probe::eventually([&] { return metric(core, "patchbay_media_joins") == 1; }));
  CHECK(metric(core, "patchbay_sip_trunk_legs") == 1);
  INFO(server.log());
  CHECK(sipp.messages().find("BYE sip:") == std::string::npos);

  server.give("test.crash", "now");
  CHECK(probe::eventually([&] { return sipp.messages().find("BYE sip:") != std::string::npos; }));
  CHECK(sipp.result() == 0);
  CHECK(probe::eventually([&] { return metric(core, "patchbay_sip_trunk_legs") == 0; }));
  CHECK(probe::eventually([&] { return metric(core, "patchbay_media_joins") == 0; }));
  CHECK(probe::eventually(
      [&] { return metric(core, "patchbay_plugin_restarts_total{plugin=\"crasher\"}") == 1; }));

  // Far below any deadline, so the end was noticed.
  const auto begin = std::chrono::steady_clock::now();
  CHECK(core.stop().ok());
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(25));
}
