// A server with media, a trunk and the crasher, which dials and crashes on events.
#pragma once

#include <doctest/doctest.h>
#include <patchbay/bus.h>
#include <patchbay/plugin.h>

#include <cstdlib>
#include <string>

#include "support/linked_plugin.h"
#include "support/sipp_peer.h"
#include "support/test_server.h"

namespace isolation_test {

// Publishes an event for the crasher.
class Signal final : public patchbay::Plugin {
 public:
  static constexpr char manifest[] = R"({"id": "signal", "version": "1.0.0"})";
  static constexpr char store_sql[] = "";
  static inline Signal* current = nullptr;
  patchbay::Status start(const patchbay::Config&) override {
    current = this;
    return {};
  }
  void give(const std::string& topic, const std::string& subject) {
    patchbay::publish(host(), {topic, "localhost", subject, "", "{}"});
  }
};

// 0 when there is no series with that name and those labels.
inline double metric(patchbay::Core& core, const std::string& name) {
  const std::string all = "\n" + core.report("metrics");
  const size_t at = all.find("\n" + name + " ");
  return at == std::string::npos ? 0 : std::strtod(all.c_str() + at + name.size() + 2, nullptr);
}

// `crasher` and `trunk` are the beginnings of their sections.
inline std::string yaml(int sip_port, const std::string& crasher, const std::string& trunk) {
  return R"(plugins:
  signal: {}
  crasher: {)" +
         crasher + R"(}
  media: {}
  sip-trunk: {)" +
         trunk + R"(listenPort: 0, requireGate: false}
tenants:
  localhost:
    sip-trunk: {defaultTrunkId: main, trunks: [{id: main, host: 127.0.0.1, port: )" +
         std::to_string(sip_port) + "}]}\n";
}

struct Dialler : patchbay::test::TestServer {
  Dialler(int sip_port, const std::string& crasher, const std::string& trunk)
      : TestServer(yaml(sip_port, crasher, trunk), nullptr, {&patchbay::test::LinkedPlugin<Signal>::entry},
                   {{"crasher", ISOLATION_CRASHER}}) {}
  void give(const std::string& topic, const std::string& subject) { Signal::current->give(topic, subject); }
};

// A telephone that answers `calls` calls and receives their packets at `rtp_port`, by default one that drops
// them.
inline patchbay::test::Sipp answering(int calls = 1, uint16_t rtp_port = 9, int limit_sec = 120) {
  patchbay::test::Sipp::Options options;
  options.scenario = ISOLATION_PHONE_SCENARIO;
  options.calls = calls;
  options.limit_sec = limit_sec;
  options.values = {{"rtp_port", std::to_string(rtp_port)}};
  auto sipp = patchbay::test::Sipp::start(options);
  if (!sipp) FAIL(sipp.error().text);
  return *std::move(sipp);
}

}  // namespace isolation_test
