// Trunks over TLS, with Kamailio as the carrier's proxy and baresip behind it.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <fstream>

#include "caller.h"
#include "raw_peer.h"
#include "stack/tcp_watch.h"
#include "support/baresip_phone.h"
#include "support/certificate_authority.h"
#include "support/kamailio.h"
#include "wire.h"

using namespace patchbay::sip_trunk;
using namespace patchbay::test;
using patchbay::lib::SocketAddress;
using patchbay::support::Certificate;
using patchbay::support::CertificateAuthority;

namespace {

constexpr char kHost[] = "sip.carrier.example";

// A stack that trusts one authority, and calls to a proxy at 127.0.0.1 that is configured by name.
struct TlsTrunk {
  TlsTrunk() { std::ofstream(folder.file("ca.pem")) << authority.certificate_pem(); }

  void start(const Certificate& own = {}, uint16_t tls_port = 0) {
    SipStack::Options options;
    options.tls = true;
    options.tls_port = tls_port;
    options.certificates = load(own);
    options.allowed_peers = {*SocketAddress::parse("127.0.0.1", 0)};
    stack = *start_stack(options);
  }
  std::shared_ptr<const TlsCertificates> load(const Certificate& own) {
    TlsFiles files;
    files.authorities = folder.file("ca.pem");
    if (!own.certificate_pem.empty()) {
      files.certificate = folder.file("cert.pem");
      files.key = folder.file("key.pem");
      std::ofstream(files.certificate) << own.certificate_pem;
      std::ofstream(files.key) << own.key_pem;
    }
    auto loaded = TlsCertificates::load(files);
    REQUIRE(loaded);
    return *loaded;
  }
  OutboundCall call(uint16_t port, const std::string& host = kHost) {
    OutboundCall out = call_to(port);
    out.trunk.host = host;
    out.trunk.port = port;
    out.trunk.transport = Transport::tls;
    out.targets.emplace_back(*SocketAddress::parse("127.0.0.1", port), host);
    return out;
  }
  // Dials, and returns how the call ended.
  DialogEnd ended(const OutboundCall& call) {
    Caller caller;
    REQUIRE(stack->dial(call, caller));
    DialogEnd end = caller.wait_ended();
    CHECK(wait_no_handles(*stack));
    return end;
  }
  // Why a call to a proxy with this certificate is not made; "486": it reached the proxy.
  std::string why_refused(const Certificate& certificate, const std::string& host = kHost) {
    const auto proxy = Kamailio::start({.certificate = certificate});
    REQUIRE(proxy);
    const DialogEnd end = ended(call(proxy->tls_port(), host));
    if (end.reason == EndReason::rejected) return std::to_string(end.sip_status);
    CHECK(end.reason == EndReason::transport);
    return end.detail;
  }

  TempFolder folder;
  CertificateAuthority authority{"Carrier CA"};
  std::unique_ptr<SipStack> stack;
};

// A TLS server for one connection.
class TlsListener {
 public:
  TlsListener(const TempFolder& folder, const Certificate& certificate)
      : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)),
        context_(SSL_CTX_new(TLS_server_method()), SSL_CTX_free) {
    std::ofstream(folder.file("listener.pem")) << certificate.certificate_pem;
    std::ofstream(folder.file("listener.key")) << certificate.key_pem;
    REQUIRE(SSL_CTX_use_certificate_chain_file(context_.get(), folder.file("listener.pem").c_str()) == 1);
    REQUIRE(SSL_CTX_use_PrivateKey_file(context_.get(), folder.file("listener.key").c_str(),
                                        SSL_FILETYPE_PEM) == 1);
    sockaddr_storage storage;
    socklen_t size = SocketAddress::parse("127.0.0.1", 0)->fill(storage);
    REQUIRE(::bind(fd_.get(), reinterpret_cast<sockaddr*>(&storage), size) == 0);
    REQUIRE(::listen(fd_.get(), 4) == 0);
    REQUIRE(::getsockname(fd_.get(), reinterpret_cast<sockaddr*>(&storage), &size) == 0);
    port = SocketAddress::from(storage).port();
    const timeval limit{30, 0};
    (void)::setsockopt(fd_.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
  }
  // The first bytes of the first connection; empty after half a minute.
  std::string receive() const {
    const patchbay::Descriptor connection(::accept4(fd_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (connection.get() < 0) return {};
    const std::unique_ptr<SSL, decltype(&SSL_free)> ssl(SSL_new(context_.get()), SSL_free);
    SSL_set_fd(ssl.get(), connection.get());
    if (SSL_accept(ssl.get()) != 1) return {};
    char buffer[4096];
    const int size = SSL_read(ssl.get(), buffer, sizeof(buffer));
    return size > 0 ? std::string(buffer, static_cast<size_t>(size)) : std::string();
  }

  uint16_t port = 0;

 private:
  patchbay::Descriptor fd_;
  std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context_;
};

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE_FIXTURE(TlsTrunk, "a call over TLS is set up and hung up through a proxy") {
  const auto phone = Baresip::start({});
  REQUIRE(phone);
  const auto proxy =
      Kamailio::start({.certificate = authority.issue("DNS:sip.carrier.example"), .next_hop = phone->port()});
  REQUIRE(proxy);
  start();
  Caller caller;
  const auto id = stack->dial(call(proxy->tls_port()), caller);
  REQUIRE(id);
  REQUIRE(caller.wait_answered());
  CHECK(caller.peer_ip() == "127.0.0.1");
  stack->hangup(*id);
  CHECK(caller.wait_ended().reason == EndReason::local_hangup);
  CHECK(wait_no_handles(*stack));
}

TEST_CASE_FIXTURE(TlsTrunk, "the certificate of a trunk must be for the configured host, valid and trusted") {
  start();
  CHECK(why_refused(authority.issue("DNS:sip.carrier.example")) == "486");
  CHECK(why_refused(authority.issue("DNS:*.carrier.example")) == "486");
  CHECK(why_refused(authority.issue("URI:sip:sip.carrier.example")) == "486");
  CHECK(why_refused(authority.issue("IP:127.0.0.1"), "127.0.0.1") == "486");

  const std::string wrong = why_refused(authority.issue("DNS:other.example,IP:127.0.0.1"));
  CAPTURE(wrong);
  CHECK(has(wrong, "no TLS with sip.carrier.example (127.0.0.1:"));
  CHECK(has(wrong, "its certificate is for other.example, not for sip.carrier.example"));
  const std::string expired = why_refused(authority.issue("DNS:sip.carrier.example", 3));
  CAPTURE(expired);
  CHECK(has(expired, "its certificate expired on 20"));
  const std::string early = why_refused(authority.issue("DNS:sip.carrier.example", -3));
  CAPTURE(early);
  CHECK(has(early, "is the clock of this machine right?"));
  const std::string unknown =
      why_refused(CertificateAuthority("Unknown CA").issue("DNS:sip.carrier.example"));
  CAPTURE(unknown);
  CHECK(has(unknown, "an authority that is not trusted here (/CN=Unknown CA)"));
  CHECK(has(unknown, "tlsCaFile"));
}

TEST_CASE_FIXTURE(TlsTrunk,
                  "a connection that is open is not used for a host that its certificate is not for") {
  start();
  const auto proxy = Kamailio::start({.certificate = authority.issue("DNS:sip.carrier.example")});
  REQUIRE(proxy);
  CHECK(ended(call(proxy->tls_port())).sip_status == 486);
  const DialogEnd other = ended(call(proxy->tls_port(), "other.example"));
  CHECK(other.reason == EndReason::transport);
  CHECK(has(other.detail, "its certificate is for sip.carrier.example, not for other.example"));
  CHECK(ended(call(proxy->tls_port())).sip_status == 486);
}

TEST_CASE_FIXTURE(TlsTrunk,
                  "a trunk that asks for a certificate gets ours, and the renewed one without a restart") {
  start();
  const auto proxy = Kamailio::start({.certificate = authority.issue("DNS:sip.carrier.example"),
                                      .authority_pem = authority.certificate_pem()});
  REQUIRE(proxy);
  const DialogEnd without = ended(call(proxy->tls_port()));
  CHECK(without.reason == EndReason::transport);
  CAPTURE(without.detail);
  CHECK(has(without.detail, "it requires a certificate of ours: set tlsCert and tlsKey"));
  stack->set_certificates(load(CertificateAuthority("Unknown CA").issue("DNS:patchbay.example")));
  const DialogEnd untrusted = ended(call(proxy->tls_port()));
  CHECK(untrusted.reason == EndReason::transport);
  CAPTURE(untrusted.detail);
  CHECK(has(untrusted.detail, "it does not accept our certificate (tlsCert): unknown CA"));
  stack->set_certificates(load(authority.issue("DNS:patchbay.example")));
  CHECK(ended(call(proxy->tls_port())).sip_status == 486);
}

TEST_CASE_FIXTURE(TlsTrunk,
                  "a trunk has a certificate and authorities of its own, and no other trunk's connection") {
  const CertificateAuthority other{"Other CA"};
  const auto write = [&](const std::string& name, const std::string& text) {
    std::ofstream(folder.file(name)) << text;
    return folder.file(name);
  };
  const Certificate for_us = authority.issue("DNS:patchbay.example"),
                    for_other = other.issue("DNS:us.example");
  TlsFiles files{write("us.pem", for_us.certificate_pem), write("us.key", for_us.key_pem),
                 folder.file("ca.pem")};
  files.of_hosts[kHost] = {};
  files.of_hosts["other.example"] = {write("other.pem", for_other.certificate_pem),
                                     write("other.key", for_other.key_pem),
                                     write("other-ca.pem", other.certificate_pem())};
  start();
  const auto loaded = TlsCertificates::load(files);
  REQUIRE(loaded);
  stack->set_certificates(*loaded);
  // Each accepts its own certificates only.
  const auto carrier =
      Kamailio::start({.certificate = authority.issue("DNS:sip.carrier.example,DNS:other.example"),
                       .authority_pem = authority.certificate_pem()});
  const auto stranger = Kamailio::start(
      {.certificate = other.issue("DNS:other.example"), .authority_pem = other.certificate_pem()});
  REQUIRE(carrier);
  REQUIRE(stranger);
  CHECK(ended(call(carrier->tls_port())).sip_status == 486);
  CHECK(ended(call(stranger->tls_port(), "Other.example")).sip_status == 486);
  const DialogEnd shared = ended(call(carrier->tls_port(), "other.example"));
  CAPTURE(shared.detail);
  CHECK(shared.reason == EndReason::transport);
  CHECK(has(shared.detail, "the TLS files of another trunk"));
  CHECK(ended(call(carrier->tls_port())).sip_status == 486);
  const DialogEnd untrusted = ended(call(stranger->tls_port(), kHost));
  CHECK(untrusted.reason == EndReason::transport);
  const auto impostor = why_refused(authority.issue("DNS:other.example"), "other.example");
  CAPTURE(impostor);
  CHECK(has(impostor, "an authority that is not trusted here (/CN=Carrier CA)"));
}

TEST_CASE_FIXTURE(TlsTrunk,
                  "a call whose caller has closed its TLS connection is hung up over one to its Contact") {
  const TlsListener carrier(folder, authority.issue("DNS:sip.carrier.example"));
  std::atomic<DialogId> id{0};
  SipStack::Options options;
  options.tls = true;
  options.certificates = load(authority.issue("DNS:patchbay.example"));
  options.allowed_peers = {*SocketAddress::parse("127.0.0.1", 0)};
  options.on_call = [&id](DialogId call, const InboundInvite&) { id = call; };
  stack = *start_stack(options);
  const std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> client(SSL_CTX_new(TLS_client_method()),
                                                                 SSL_CTX_free);
  Wire wire(stack->tls_port(), client.get());
  const auto request = [&](const std::string& method, const std::string& to, const std::string& body) {
    return method + " sip:+4930111@127.0.0.1 SIP/2.0\r\nVia: SIP/2.0/TLS 127.0.0.1:9;branch=z9hG4bK" +
           method + "\r\nFrom: <sip:a@127.0.0.1>;tag=1\r\nTo: " + to + "\r\nCall-ID: tls-in\r\nCSeq: 1 " +
           method + "\r\nMax-Forwards: 70\r\nContact: <sip:a@127.0.0.1:" + std::to_string(carrier.port) +
           ";transport=tls>\r\nContent-Type: application/sdp\r\nContent-Length: " +
           std::to_string(body.size()) + "\r\n\r\n" + body;
  };
  wire.send(request("INVITE", "<sip:+4930111@127.0.0.1>", kOffer));
  REQUIRE(wait_until([&] { return id != 0; }));
  Caller caller;
  CallOwner owner{"acme.example", "main", {}};
  owner.trunk.host = kHost;
  REQUIRE(stack->take(id, owner, caller));
  stack->answer(id, kOffer);
  const auto receive = [&](const std::string& part) {
    std::string text;
    while (!has(text, part)) {
      const std::string more = wire.receive();
      REQUIRE_FALSE(more.empty());
      text += more;
    }
    return text;
  };
  const std::string ok = receive("SIP/2.0 200");
  wire.send(request("ACK", header(ok.substr(ok.find("SIP/2.0 200")), "To"), ""));
  wire.send(request("OPTIONS", "<sip:+4930111@127.0.0.1>", ""));
  receive("CSeq: 1 OPTIONS");  // so the ACK was read, too
  wire.reset();
  REQUIRE(wait_until([&] {
    const auto sockets = OwnSockets().list();
    return std::none_of(sockets.begin(), sockets.end(), [&](const OwnSocket& socket) {
      return socket.local.port() == stack->tls_port() && socket.remote.valid();
    });
  }));
  stack->hangup(id);
  CHECK(caller.wait_ended().reason == EndReason::local_hangup);
  CHECK(has(carrier.receive(), "BYE sip:a@127.0.0.1:"));
}

TEST_CASE("certificate files with a fault are refused with the setting's name") {
  const TempFolder folder;
  const Certificate one = CertificateAuthority("CA").issue("DNS:a");
  std::ofstream(folder.file("cert.pem")) << one.certificate_pem;
  std::ofstream(folder.file("key.pem")) << CertificateAuthority("CA").issue("DNS:a").key_pem;
  std::ofstream(folder.file("junk.pem")) << "junk";
  const auto fault = [&](const std::string& certificate, const std::string& key, const std::string& ca) {
    const auto path = [&](const std::string& name) { return name.empty() ? name : folder.file(name); };
    const auto loaded = TlsCertificates::load({path(certificate), path(key), path(ca)});
    return loaded ? std::string() : loaded.error().text;
  };
  CHECK(fault("", "", "") == "");
  CHECK(fault("", "", "cert.pem") == "");
  CHECK(has(fault("none.pem", "key.pem", ""), "tlsCert: "));
  CHECK(has(fault("junk.pem", "key.pem", ""), "has no certificate in PEM form"));
  CHECK(has(fault("cert.pem", "junk.pem", ""), "tlsKey: "));
  CHECK(has(fault("cert.pem", "key.pem", ""), "does not belong to the certificate of tlsCert"));
  CHECK(has(fault("", "", "junk.pem"), "tlsCaFile: "));
}
