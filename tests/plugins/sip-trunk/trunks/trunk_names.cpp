// TrunkNames alone, and in a server that asks the test's DNS server.
#include "trunks/trunk_names.h"

#include <doctest/doctest.h>
#include <sys/socket.h>

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <thread>

#include "plugins/sip-trunk/call_fixture.h"
#include "plugins/sip-trunk/dns_server.h"
#include "plugins/sip-trunk/raw_peer.h"
#include "runtime/manual_clock.h"
#include "support/own_network.h"
#include "support/probe_plugin.h"
#include "support/test_server.h"
#include "support/test_store.h"

using namespace patchbay;
using namespace patchbay::sip_trunk;
using namespace patchbay::test;

namespace {

// A TrunkNames on the probe's strand, with DNS answers that the test sets.
struct Names {
  Names()
      : resolver([this](const HostQuery&) -> Result<Location> {
          ++lookups;
          const int last = answer;
          if (last == 0) return Error{Code::unavailable, "no DNS"};
          return Location{Transport::udp,
                          {{0, 0, {*lib::SocketAddress::parse("192.0.2." + std::to_string(last), 5060)}}}};
        }) {
    on_strand([this](const Host& host) {
      metrics = std::make_unique<Metrics>(host);
      names = std::make_unique<TrunkNames>(host, resolver, *metrics, [this] { ++changes; });
      names->watch({HostQuery{"trunk.example"}});
    });
  }
  ~Names() {
    on_strand([this](const Host&) {
      names.reset();
      metrics.reset();
    });
  }
  void on_strand(const std::function<void(const Host&)>& f) {
    std::promise<Result<int>> done;
    probe::run([&](const Host& host) {
      f(host);
      done.set_value(0);
    });
    CHECK(probe::wait(done.get_future()));
  }
  std::string addresses() {
    std::string text;
    on_strand([&](const Host&) {
      for (const auto& address : names->addresses()) text += address.ip_text() + " ";
    });
    return text;
  }
  // Advances the clock by seconds until the addresses are these.
  bool wait_addresses(const std::string& wanted) {
    for (int i = 0; i < 3000; ++i) {
      if (addresses() == wanted) return true;
      clock.advance(std::chrono::seconds(1));
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return false;
  }

  core::ManualClock clock;
  TestServer server{"plugins:\n  probe: {}\ntenants: {localhost: {}}\n", &clock, {probe::entry()}};
  std::atomic<int> lookups{0};
  std::atomic<int> answer{0};
  std::atomic<int> changes{0};
  Resolver resolver;
  std::unique_ptr<Metrics> metrics;
  std::unique_ptr<TrunkNames> names;
};

// Sends OPTIONS, which only trunks get an answer to.
bool is_answered(const RawPeer& peer, uint16_t port, int sequence) {
  peer.send(port, peer.request("OPTIONS", "sip:us@127.0.0.1", "<sip:x@127.0.0.1>;tag=1", "<sip:us@127.0.0.1>",
                               "names-" + std::to_string(sequence), sequence));
  return !peer.receive("SIP/2.0 200", 50).empty();
}

}  // namespace

TEST_CASE_FIXTURE(Names, "names of trunks are resolved again, and their addresses replaced") {
  CHECK(addresses().empty());
  answer = 1;  // DNS answers now
  CHECK(wait_addresses("192.0.2.1 "));
  answer = 2;  // the trunk's address has changed
  CHECK(wait_addresses("192.0.2.2 "));
  answer = 0;
  const int before = lookups;
  for (int i = 0; i < 3000 && lookups == before; ++i) {
    clock.advance(std::chrono::seconds(1));
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  CHECK(lookups > before);
  CHECK(addresses() == "192.0.2.2 ");  // the last known address stays
  CHECK(changes >= 2);
}

TEST_CASE("a server accepts a trunk at the address that DNS has and no longer at the old one" *
          doctest::skip(patchbay::test::on_postgres())) {
  if (!OwnNetwork::is_inside())
    return OwnNetwork::repeat("a server accepts a trunk at the address*", "127.0.0.1");
  DnsServer dns;
  RawPeer first("127.0.0.5");
  RawPeer second("127.0.0.6", first.port());
  core::ManualClock clock;
  TestServer server(server_config(trunk_entry("a", "sip.carrier.example", first.port()) + ", " +
                                  trunk_entry("b", "127.0.0.1", 9)),
                    &clock, {probe::http_entry()});
  REQUIRE(server.start_error() == "");
  const uint16_t port = sip_port(server);
  // Advances the clock by seconds until only the wanted peer is answered.
  int sequence = 0;
  const auto serves_only = [&](const RawPeer& wanted, const RawPeer& other) {
    for (int i = 0; i < 1000; ++i) {
      clock.advance(std::chrono::seconds(1));
      if (is_answered(wanted, port, ++sequence) && !is_answered(other, port, ++sequence)) return true;
    }
    return false;
  };
  const auto counted = [&](const std::string& line) {
    return within(std::chrono::seconds(30), [&] {
      clock.advance(std::chrono::seconds(1));
      return ("\n" + server.core().report("metrics")).find("\n" + line) != std::string::npos;
    });
  };

  // The name is resolved again after each failure; until then the trunk is not answered.
  CHECK(counted("patchbay_sip_trunk_names_unresolved 1\n"));
  CHECK_FALSE(is_answered(first, port, ++sequence));
  CHECK(server.log().find("name=sip.carrier.example") != std::string::npos);
  dns.answer_with("127.0.0.5");
  CHECK(serves_only(first, second));
  CHECK(counted("patchbay_sip_trunk_names_unresolved 0\n"));
  dns.answer_with("127.0.0.6");
  CHECK(serves_only(second, first));

  // DNS fails: a call still goes where the trunk was last.
  dns.fail();
  CHECK(counted("patchbay_sip_trunk_names_unresolved 1\n"));
  CHECK(serves_only(second, first));
  Owner owner;
  owner.dial();
  const std::string invite = second.receive("INVITE sip:+4930123456@sip.carrier.example", 20'000);
  REQUIRE_FALSE(invite.empty());
  second.send(port, answer_to(invite, "486 Busy Here"));
  const auto ended = probe::wait(owner.ended.get_future());
  REQUIRE(ended);
  CHECK(ended->trunk_id == "a");
  owner.go();
}

TEST_CASE("a call goes to the servers of a name's SRV records in their order" *
          doctest::skip(patchbay::test::on_postgres())) {
  if (!OwnNetwork::is_inside())
    return OwnNetwork::repeat("a call goes to the servers of a name*", "127.0.0.1");
  DnsServer dns;
  RawPeer first("127.0.0.5");
  RawPeer second("127.0.0.6");
  RawPeer third("127.0.0.7");
  // NAPTR prefers UDP by the order of its records; the SRV record of priority 2 comes after that of 1.
  dns.add_naptr("sip.carrier.example", 20, 1, "SIP+D2T", "_sip._tcp.sip.carrier.example");
  dns.add_naptr("sip.carrier.example", 10, 1, "SIP+D2U", "_sip._udp.pool.carrier.example");
  dns.add_srv("_sip._udp.pool.carrier.example", 2, 100, second.port(), "b.carrier.example");
  dns.add_srv("_sip._udp.pool.carrier.example", 1, 1, first.port(), "a.carrier.example");
  dns.add_address("a.carrier.example", "127.0.0.5");
  dns.add_address("b.carrier.example", "127.0.0.6");
  TestServer server(server_config("{id: a, host: sip.carrier.example, otherHosts: [\"127.0.0.7:" +
                                  std::to_string(third.port()) + "\"]}, " + trunk_entry("b", "127.0.0.1", 9)),
                    nullptr, {probe::http_entry()});
  REQUIRE(server.start_error() == "");
  const uint16_t port = sip_port(server);
  Owner owner;
  owner.dial();
  // Each server refuses, and the next one is tried: the SRV records, then the other host, then the trunk b.
  for (RawPeer* peer : {&first, &second, &third}) {
    const std::string invite = peer->receive("INVITE sip:+4930123456@sip.carrier.example;", 20'000);
    REQUIRE_FALSE(invite.empty());
    CHECK(header(invite, "CSeq").find("INVITE") != std::string::npos);
    peer->send(port, answer_to(invite, peer == &third ? "486 Busy Here" : "503 Service Unavailable"));
    CHECK_FALSE(peer->receive("ACK ", 20'000).empty());
  }
  const auto ended = probe::wait(owner.ended.get_future());
  REQUIRE(ended);
  CHECK(ended->trunk_id == "a");
  CHECK(ended->cause == "no-answer");
  owner.go();
}
