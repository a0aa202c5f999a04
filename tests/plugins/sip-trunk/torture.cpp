// The torture messages of RFC 4475 over TCP and TLS; those over UDP are in unsolicited.cpp.
#include <doctest/doctest.h>
#include <openssl/ssl.h>

#include <filesystem>
#include <fstream>

#include "caller.h"
#include "support/certificate_authority.h"
#include "support/child_process.h"
#include "wire.h"

using namespace patchbay::sip_trunk;
using namespace patchbay::test;

namespace {

struct Tortured {
  Tortured() {
    const auto own = patchbay::support::CertificateAuthority("CA").issue("DNS:patchbay.example");
    std::ofstream(folder.file("cert.pem")) << own.certificate_pem;
    std::ofstream(folder.file("key.pem")) << own.key_pem;
    SipStack::Options options;
    options.tls = true;
    options.certificates = *TlsCertificates::load({folder.file("cert.pem"), folder.file("key.pem"), ""});
    options.allowed_peers = {*patchbay::lib::SocketAddress::parse("127.0.0.1", 0)};
    stack = *start_stack(options);
  }
  // Whether OPTIONS gets 200 on a new connection.
  bool answers(const char* transport, uint16_t port, SSL_CTX* tls) {
    Wire wire(port, tls);
    const std::string id = "torture" + std::to_string(++asked);
    wire.send("OPTIONS sip:us@127.0.0.1 SIP/2.0\r\nVia: SIP/2.0/" + std::string(transport) +
              " 127.0.0.1:9;branch=z9hG4bK" + id +
              "\r\nFrom: <sip:x@127.0.0.1>;tag=1\r\nTo: <sip:us@127.0.0.1>\r\n" + "Call-ID: " + id +
              "\r\nCSeq: 1 OPTIONS\r\nMax-Forwards: 70\r\nContent-Length: 0\r\n\r\n");
    const std::string answer = wire.receive();
    return answer.rfind("SIP/2.0 200", 0) == 0;
  }
  void torture(const char* transport, uint16_t port, SSL_CTX* tls) {
    int sent = 0;
    for (const auto& entry :
         std::filesystem::directory_iterator(std::string(SIP_TRUNK_TEST_FOLDER) + "/rfc4475")) {
      if (entry.path().extension() != ".dat") continue;
      CAPTURE(entry.path().filename().string());
      Wire(port, tls).send(read_text(entry.path().string()));
      ++sent;
      CHECK(answers(transport, port, tls));
    }
    CHECK(sent == 49);
    CHECK(stack->live_handles() == 0);
  }

  TempFolder folder;
  std::unique_ptr<SipStack> stack;
  int asked = 0;
};

}  // namespace

TEST_CASE_FIXTURE(Tortured, "the stack survives the torture messages of RFC 4475 over TCP") {
  torture("TCP", stack->port(), nullptr);
}

TEST_CASE_FIXTURE(Tortured, "the stack survives the torture messages of RFC 4475 over TLS") {
  const std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> tls(SSL_CTX_new(TLS_client_method()), SSL_CTX_free);
  torture("TLS", stack->tls_port(), tls.get());
}

TEST_CASE_FIXTURE(Tortured, "UDP and TCP have another port than TLS") {
  CHECK(stack->port() != stack->tls_port());
  CHECK(answers("TCP", stack->port(), nullptr));
}

TEST_CASE_FIXTURE(Tortured, "a call comes in over TLS") {
  const std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> tls(SSL_CTX_new(TLS_client_method()), SSL_CTX_free);
  Wire wire(stack->tls_port(), tls.get());
  wire.send(
      "INVITE sip:+4930123456@127.0.0.1 SIP/2.0\r\nVia: SIP/2.0/TLS 127.0.0.1:9;branch=z9hG4bKin\r\n"
      "From: <sip:x@127.0.0.1>;tag=1\r\nTo: <sip:+4930123456@127.0.0.1>\r\nCall-ID: in\r\nCSeq: 1 INVITE\r\n"
      "Contact: <sip:x@127.0.0.1:9;transport=tls>\r\nMax-Forwards: 70\r\nContent-Length: 0\r\n\r\n");
  std::string answers;
  while (answers.find("SIP/2.0 480") == std::string::npos) {
    const std::string more = wire.receive();
    REQUIRE_FALSE(more.empty());
    answers += more;
  }
  CHECK(wait_no_handles(*stack));
}
