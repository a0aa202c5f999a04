// A trunk that does not answer, in a server: calls pass it over at once until it answers OPTIONS.
#include <doctest/doctest.h>

#include "plugins/sip-trunk/call_fixture.h"

using namespace patchbay;
using namespace patchbay::test;

namespace {

// Dials, and returns the seconds until `peer` got the INVITE, which it answers with 486.
double seconds_to_reach(const RawPeer& peer, uint16_t port, const std::string& call_id) {
  Owner owner;
  const auto begin = std::chrono::steady_clock::now();
  owner.dial("+4930123456", call_id);
  const std::string invite = peer.receive("INVITE ", 20'000);
  REQUIRE_FALSE(invite.empty());
  const auto took = std::chrono::steady_clock::now() - begin;
  peer.send(port, answer_to(invite, "486 Busy Here"));
  const auto ended = probe::wait(owner.ended.get_future());
  REQUIRE(ended);
  CHECK(ended->trunk_id == "b");
  CHECK(ended->earlier_trunks.rfind("a: ", 0) == 0);
  owner.go();
  return std::chrono::duration<double>(took).count();
}

}  // namespace

TEST_CASE("a silent trunk costs one call the time-out, and further ones nothing until it answers") {
  RawPeer silent, other;
  TestServer server(server_config(trunk_entry("a", "127.0.0.1", silent.port()) + ", " +
                                  trunk_entry("b", "127.0.0.1", other.port())),
                    nullptr, {probe::http_entry()});
  REQUIRE(server.start_error() == "");
  const uint16_t port = sip_port(server);
  CHECK(seconds_to_reach(other, port, "oac-000000000001") >= 1.9);  // silenceTimeoutMs is 2000
  CHECK(wait_metric(server, "patchbay_sip_trunk_up{tenant=\"acme.example\",trunk=\"a\"} 0"));
  CHECK(seconds_to_reach(other, port, "oac-000000000002") < 1.9);
  // Asked by OPTIONS until it answers; then calls go there again.
  const std::string asked = silent.receive("OPTIONS sip:127.0.0.1", 20'000);
  REQUIRE_FALSE(asked.empty());
  silent.send(port, answer_to(asked, "200 OK"));
  CHECK(wait_metric(server, "patchbay_sip_trunk_up{tenant=\"acme.example\",trunk=\"a\"} 1"));
  Owner owner;
  owner.dial("+4930123456", "oac-000000000003");
  std::string invite;
  do invite = silent.receive("INVITE ", 20'000);
  while (!invite.empty() && invite.find("oac-000000000003") == std::string::npos);
  REQUIRE_FALSE(invite.empty());
  silent.send(port, answer_to(invite, "486 Busy Here"));
  REQUIRE(probe::wait(owner.ended.get_future()));
  owner.go();
}
