// A plugin in a process of its own that crashes in the middle of a call that it has dialled: the call ends at
// the other side, and nothing of it stays in the server.
#include <doctest/doctest.h>
#include <patchbay/bus.h>
#include <patchbay/plugin.h>

#include <chrono>
#include <cstdlib>
#include <string>

#include "support/linked_plugin.h"
#include "support/probe_client.h"
#include "support/server.h"
#include "support/sipp.h"

namespace {

using namespace patchbay;

// Tells the crasher what to do.
class Signal final : public Plugin {
 public:
  static constexpr char manifest[] = R"({"id": "signal", "version": "1.0.0"})";
  static constexpr char store_sql[] = "";
  static inline Signal* current = nullptr;
  Status start(const Config&) override {
    current = this;
    return {};
  }
  void give(const std::string& topic, const std::string& subject) {
    publish(host(), {topic, "localhost", subject, "", "{}"});
  }
};

std::string yaml(int sip_port) {
  return R"(plugins:
  signal: {}
  crasher: {isolation: process}
  media: {}
  sip-trunk: {listenPort: 0, requireGate: false}
tenants:
  localhost:
    sip-trunk: {defaultTrunkId: main, trunks: [{id: main, host: 127.0.0.1, port: )" +
         std::to_string(sip_port) + "}]}\n";
}

double metric(Core& core, const std::string& name) {
  const std::string all = "\n" + core.report("metrics");
  const size_t at = all.find("\n" + name + " ");
  return at == std::string::npos ? 0 : std::strtod(all.c_str() + at + name.size() + 2, nullptr);
}

}  // namespace

TEST_CASE(
    "a call of a plugin that crashes in a process of its own ends at the other side and in the server") {
  test::Sipp::Options options;
  options.scenario = ISOLATION_PHONE_SCENARIO;
  options.limit_sec = 120;
  options.values = {{"rtp_port", "9"}};  // nobody need hear it
  auto sipp = test::Sipp::start(options);
  REQUIRE(sipp.ok());
  test::TestServer server(yaml(sipp->port()), nullptr, {&test::LinkedPlugin<Signal>::entry},
                          {{"crasher", ISOLATION_CRASHER}});
  REQUIRE(server.start_error() == "");
  Core& core = server.core();

  Signal::current->give("test.dial", "+4930123456");
  CHECK(probe::eventually([&] { return metric(core, "patchbay_media_joins") == 1; }));
  CHECK(metric(core, "patchbay_sip_trunk_legs") == 1);
  INFO(server.log());
  CHECK(sipp->messages().find("BYE sip:") == std::string::npos);

  Signal::current->give("test.crash", "now");
  CHECK(probe::eventually([&] { return sipp->messages().find("BYE sip:") != std::string::npos; }));
  CHECK(sipp->result() == 0);
  CHECK(probe::eventually([&] { return metric(core, "patchbay_sip_trunk_legs") == 0; }));
  CHECK(probe::eventually([&] { return metric(core, "patchbay_media_joins") == 0; }));
  CHECK(probe::eventually(
      [&] { return metric(core, "patchbay_plugin_restarts_total{plugin=\"crasher\"}") == 1; }));

  // Nothing waits for a deadline: it took a minute.
  const auto begin = std::chrono::steady_clock::now();
  CHECK(core.stop().ok());
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(25));
}
