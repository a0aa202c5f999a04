// Registrations at a trunk, in a server: with Kamailio as the registrar, and with one that the test plays.
#include <doctest/doctest.h>

#include <future>
#include <memory>

#include "plugins/sip-trunk/call_fixture.h"
#include "runtime/manual_clock.h"
#include "support/certificate_authority.h"
#include "support/kamailio.h"
#include "support/test_store.h"

using namespace patchbay;
using namespace patchbay::test;

namespace {

std::string account(const std::string& id, uint16_t port, const std::string& password) {
  return "{id: " + id + ", host: 127.0.0.1, port: " + std::to_string(port) +
         ", username: alice, realm: carrier.example, register: true, password: " + password + "}";
}

std::string registered(const std::string& trunk, int value) {
  return "patchbay_sip_trunk_registered{tenant=\"acme.example\",trunk=\"" + trunk + "\"} " +
         std::to_string(value);
}

}  // namespace

TEST_CASE("accounts are registered with digest, by MD5 and by SHA-256" * doctest::skip(on_postgres())) {
  const support::CertificateAuthority authority("CA");
  for (const char* algorithm : {"MD5", "SHA-256"}) {
    CAPTURE(std::string(algorithm));
    const auto registrar = Kamailio::start({.certificate = authority.issue("DNS:carrier.example"),
                                            .realm = "carrier.example",
                                            .username = "alice",
                                            .password = "secret",
                                            .algorithm = algorithm});
    REQUIRE(registrar);
    TestServer server(server_config(account("a", registrar->port(), "secret") + ", " +
                                    account("b", registrar->port(), "wrong")),
                      nullptr, {probe::http_entry()});
    REQUIRE(server.start_error() == "");
    REQUIRE_MESSAGE(wait_metric(server, registered("a", 1)), server.log() << registrar->output());
    CHECK(wait_metric(server, registered("b", 0)));
    CHECK(within(std::chrono::seconds(30), [&] {
      return server.log().find("the trunk does not accept the username or password") != std::string::npos;
    }));
    // The same credentials open a call.
    Owner owner;
    owner.dial();
    const auto ended = probe::wait(owner.ended.get_future());
    REQUIRE(ended);
    CHECK(ended->sip_status == 486);
    owner.go();
  }
}

TEST_CASE("a registration is renewed before it ends, for as long as the trunk asks" *
          doctest::skip(on_postgres())) {
  RawPeer registrar;
  core::ManualClock clock;
  {
    TestServer server(
        server_config(account("a", registrar.port(), "secret") + ", " + trunk_entry("b", "127.0.0.1", 9)),
        &clock, {probe::http_entry()});
    REQUIRE(server.start_error() == "");
    const uint16_t port = sip_port(server);
    const auto answer = [&](const std::string& status, const std::string& more) {
      std::string request;
      for (int i = 0; i < 600 && request.empty(); ++i) {
        clock.advance(std::chrono::seconds(1));
        request = registrar.receive("REGISTER ", 20);
      }
      REQUIRE_FALSE(request.empty());
      registrar.send(port, answer_to(request, status, "", more));
      return request;
    };
    const std::string first = answer("423 Interval Too Brief", "Min-Expires: 900\r\n");
    CHECK(first.rfind("REGISTER sip:127.0.0.1 SIP/2.0", 0) == 0);
    CHECK(header(first, "Expires") == "600");
    CHECK(header(first, "Contact").rfind("<sip:alice@127.0.0.1:" + std::to_string(port), 0) == 0);
    const std::string second = answer("200 OK", "Contact: <sip:alice@127.0.0.1>;expires=120\r\n");
    CHECK(header(second, "Expires") == "900");
    CHECK(header(second, "Call-ID") == header(first, "Call-ID"));
    CHECK(wait_metric(server, registered("a", 1)));
    const std::string third = answer("200 OK", "Contact: <sip:alice@127.0.0.1>;expires=120\r\n");
    CHECK(header(third, "Call-ID") == header(first, "Call-ID"));
    CHECK(std::stoi(header(third, "CSeq")) > std::stoi(header(second, "CSeq")));
    CHECK(wait_metric(server, registered("a", 1)));
  }
}

TEST_CASE("a server that stops ends its registrations, also at a registrar that asks for credentials" *
          doctest::skip(on_postgres())) {
  RawPeer registrar;
  auto server = std::make_unique<TestServer>(
      server_config(account("a", registrar.port(), "secret") + ", " + trunk_entry("b", "127.0.0.1", 9)),
      nullptr, std::vector<const pb_entry*>{probe::http_entry()});
  REQUIRE(server->start_error() == "");
  const uint16_t port = sip_port(*server);
  const std::string contact = "Contact: <sip:alice@127.0.0.1:" + std::to_string(port) + ">";
  const std::string first = registrar.receive("REGISTER ", 20'000);
  registrar.send(port,
                 answer_to(first, "200 OK", "",
                           "Contact: <sip:alice@192.0.2.9>;expires=7\r\n" + contact + ";expires=600\r\n"));
  REQUIRE(wait_metric(*server, registered("a", 1)));
  auto stopped = std::async(std::launch::async, [&] { server.reset(); });
  const std::string end = registrar.receive("REGISTER ", 20'000);
  CHECK(header(end, "Expires") == "0");
  CHECK(header(end, "Call-ID") == header(first, "Call-ID"));
  CHECK(std::stoi(header(end, "CSeq")) > std::stoi(header(first, "CSeq")));
  registrar.send(port, answer_to(end, "401 Unauthorized", "",
                                 "WWW-Authenticate: Digest realm=\"carrier.example\", nonce=\"n1\"\r\n"));
  const std::string again = registrar.receive("REGISTER ", 20'000);
  CHECK(header(again, "Expires") == "0");
  CHECK(header(again, "Authorization").find("nonce=\"n1\"") != std::string::npos);
  registrar.send(port, answer_to(again, "200 OK"));
  stopped.get();
}

TEST_CASE("a 200 that lists only other contacts is no registration" * doctest::skip(on_postgres())) {
  RawPeer registrar;
  TestServer server(
      server_config(account("a", registrar.port(), "secret") + ", " + trunk_entry("b", "127.0.0.1", 9)),
      nullptr, {probe::http_entry()});
  REQUIRE(server.start_error() == "");
  const std::string first = registrar.receive("REGISTER ", 20'000);
  registrar.send(sip_port(server),
                 answer_to(first, "200 OK", "", "Contact: <sip:bob@192.0.2.9>;expires=60\r\n"));
  CHECK(within(std::chrono::seconds(30),
               [&] { return server.log().find("the trunk keeps no contact of ours") != std::string::npos; }));
}
