// `patchbay status`, and one grep of the log for the call's id, show the cause of a failed call. Each test
// injects a fault.
#include <doctest/doctest.h>

#include <sstream>

#include "call_server.h"
#include "phone.h"
#include "status/health.h"
#include "support/gemini_server.h"
#include "support/probe_requests.h"

using namespace patchbay;
using namespace patchbay::test;
using app::HealthFinding;
using app::MetricSamples;
using support::GeminiScript;
using support::GeminiServer;

namespace {

CallServer::Options options(const GeminiServer& gemini, std::vector<CallServer::Trunk> trunks) {
  CallServer::Options out;
  out.trunks = std::move(trunks);
  out.engine_gemini = "{url: \"" + gemini.url() + "\", caFile: " + gemini.ca_file() + "}";
  return out;
}

// The findings of `patchbay status` between the constructor and the call of problems().
class StatusWatch {
 public:
  explicit StatusWatch(CallServer& server) : server_(server), before_(read()) {}
  std::string problems() const {
    std::string all;
    for (const HealthFinding& finding : app::find_problems({before_, read(), 10}))
      all += finding.problem + " -> " + finding.advice + "\n";
    return all;
  }

 private:
  MetricSamples read() const { return MetricSamples::parse(server_.server().core().report("metrics")); }

  CallServer& server_;
  const MetricSamples before_;
};

// grep <id> <log>
std::string lines_of(CallServer& server, const std::string& id) {
  std::istringstream log(server.server().log());
  std::string found;
  for (std::string line; std::getline(log, line);)
    if (line.find(id) != std::string::npos) found += line + "\n";
  return found;
}

// Waits for the text, because counters and lines follow the record by a moment.
void check_says(const std::function<std::string()>& read, const std::string& what) {
  probe::eventually([&] { return read().find(what) != std::string::npos; });
  const std::string text = read();
  INFO(text);
  CHECK_MESSAGE(text.find(what) != std::string::npos, what);
}

}  // namespace

TEST_CASE("injected: a trunk refuses, and status and the call's log lines say which one and why") {
  Sipp first = start_sipp("reject", {{"status", "403 Forbidden"}, {"extra", "X-Test: 1"}});
  Sipp second = start_sipp("talk_then_bye", {{"ms", "1000"}});
  GeminiServer gemini;
  CallServer server(options(gemini, {{"cheap", first.port()}, {"spare", second.port()}}));
  const StatusWatch status(server);
  const std::string id = server.create();
  server.wait(id, "ended-success");
  check_says([&] { return status.problems(); }, "went to the next trunk");
  check_says([&] { return lines_of(server, id); }, "403");
  check_says([&] { return lines_of(server, id); }, "cheap");
}

TEST_CASE("injected: the engine drops its connection, and status and the call's log lines say so") {
  GeminiScript script;
  script.at_turn = {{2, GeminiScript::Event::drop}};
  GeminiServer gemini(script);
  Phone phone;
  CallServer server(options(gemini, {{"main", phone.port()}}));
  const StatusWatch status(server);
  const std::string id = server.create();
  REQUIRE(phone.hears_to_the_end(1900));
  phone.speak(600);
  REQUIRE(probe::eventually([&] { return gemini.seen().setups.size() == 2; }));
  check_says([&] { return status.problems(); }, "connections to an engine");
  check_says([&] { return lines_of(server, id); }, "engine");
  server.hangup(id);
  CHECK(server.idle());
}

TEST_CASE(
    "injected: another host sends to the call's RTP port, and status and the call's log lines count it") {
  GeminiServer gemini;
  Phone phone;
  CallServer server(options(gemini, {{"main", phone.port()}}));
  const StatusWatch status(server);
  const std::string id = server.create();
  REQUIRE(phone.hears(500));
  phone.suffer_junk(400);
  server.hangup(id);
  server.wait(id, "cancelled");
  check_says([&] { return status.problems(); }, "came from addresses that are not the peer's");
  check_says([&] { return lines_of(server, id); }, "refused=");
  CHECK(lines_of(server, id).find("refused=0") == std::string::npos);
  CHECK(server.idle());
}
