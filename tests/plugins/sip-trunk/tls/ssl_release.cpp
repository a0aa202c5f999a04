#include "tls/ssl_release.h"

#include <doctest/doctest.h>

#include <atomic>
#include <fstream>
#include <list>

#include "plugins/sip-trunk/caller.h"
#include "plugins/sip-trunk/wire.h"
#include "support/certificate_authority.h"

using namespace patchbay::sip_trunk;
using namespace patchbay::test;
using patchbay::lib::SocketAddress;

namespace {

std::atomic<int> live{0};

void on_ssl_made(void*, void*, CRYPTO_EX_DATA*, int, long, void*) { ++live; }
void on_ssl_freed(void*, void*, CRYPTO_EX_DATA*, int, long, void*) { --live; }

// The SSL objects of this process, those of this test's own connections, too.
int live_connections() { return live; }

std::unique_ptr<SipStack> tls_stack(const TempFolder& folder) {
  static const int index =
      CRYPTO_get_ex_new_index(CRYPTO_EX_INDEX_SSL, 0, nullptr, on_ssl_made, nullptr, on_ssl_freed);
  REQUIRE(index >= 0);
  const patchbay::support::CertificateAuthority authority{"CA"};
  const auto own = authority.issue("DNS:patchbay.example");
  std::ofstream(folder.file("cert.pem")) << own.certificate_pem;
  std::ofstream(folder.file("key.pem")) << own.key_pem;
  SipStack::Options options;
  options.tls = true;
  options.allowed_peers = {*SocketAddress::parse("127.0.0.1", 0)};
  const auto loaded = TlsCertificates::load({folder.file("cert.pem"), folder.file("key.pem"), {}});
  REQUIRE(loaded);
  options.certificates = *loaded;
  auto stack = start_stack(options);
  REQUIRE(stack);
  return std::move(*stack);
}

}  // namespace

TEST_CASE("the SSL object of a TLS connection is freed when the connection ends") {
  const TempFolder folder;
  const int before = live_connections();
  auto stack = tls_stack(folder);
  const std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> client(SSL_CTX_new(TLS_client_method()),
                                                                 SSL_CTX_free);
  const uint16_t port = stack->tls_port();
  SUBCASE("by the peer") {
    std::list<Wire> silent, used;
    for (int i = 0; i < 8; ++i) {
      silent.emplace_back(port, nullptr);
      used.emplace_back(port, client.get());
    }
    REQUIRE(wait_until([&] { return live_connections() == before + 8 + 16; }));
    used.clear();
    silent.clear();
  }
  SUBCASE("after a handshake that fails") {
    Wire junk(port, nullptr);
    junk.send("OPTIONS sip:x SIP/2.0\r\n\r\n");
    (void)junk.receive();
  }
  SUBCASE("when it cannot be made") {
    OutboundCall call = call_to(9);
    call.trunk.transport = Transport::tls;
    for (const char* address : {"127.0.0.1", "255.255.255.255"}) {
      call.targets.assign(1, {*SocketAddress::parse(address, 9), "a.example"});
      Caller caller;
      if (stack->dial(call, caller)) CHECK(caller.wait_ended().reason == EndReason::transport);
    }
  }
  SUBCASE("by the stop of the stack") {
    Wire wire(port, client.get());
    stack.reset();
  }
  CHECK(wait_until([&] { return live_connections() == before; }));
}
