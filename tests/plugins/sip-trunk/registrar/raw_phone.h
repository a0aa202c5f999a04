// A server with a registrar and users, and a telephone that sends and reads SIP text.
#pragma once

#include <doctest/doctest.h>
#include <openssl/evp.h>
#include <patchbay/hex.h>

#include <cstdlib>
#include <string>

#include "../call_fixture.h"
#include "../raw_peer.h"
#include "support/probe_requests.h"

namespace patchbay::test {

inline std::string digest_hash(const std::string& algorithm, const std::string& text) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  (void)EVP_Digest(text.data(), text.size(), digest, &size, algorithm == "MD5" ? EVP_md5() : EVP_sha256(),
                   nullptr);
  return to_hex({reinterpret_cast<const char*>(digest), size});
}

// The value of a quoted parameter.
inline std::string quoted_parameter(const std::string& text, const std::string& name) {
  const size_t at = text.find(name + "=\"");
  if (at == std::string::npos) return {};
  const size_t begin = at + name.size() + 2;
  return text.substr(begin, text.find('"', begin) - begin);
}

struct DigestAnswer {
  std::string user = "bob";
  std::string password;
  std::string nonce;
  std::string count = "00000001";
  std::string realm = "acme.example";
  std::string uri = "sip:acme.example";
  std::string algorithm = "MD5";

  std::string text() const {
    const auto hash = [this](const std::string& of) { return digest_hash(algorithm, of); };
    const std::string proof = hash(hash(user + ":" + realm + ":" + password) + ":" + nonce + ":" + count +
                                   ":c0ffee:auth:" + hash("REGISTER:" + uri));
    return "Digest username=\"" + user + "\", realm=\"" + realm + "\", nonce=\"" + nonce + "\", uri=\"" +
           uri + "\", response=\"" + proof + "\", algorithm=" + algorithm + ", qop=auth, nc=" + count +
           ", cnonce=\"c0ffee\"";
  }
};

// A tenant "acme.example" with the users bob and eve; calls to +4930333 ring bob.
struct RegistrarServer {
  explicit RegistrarServer(const std::string& registrar = "", const std::string& inbound = "",
                           core::ManualClock* clock = nullptr)
      : server(
            "plugins:\n  media: {}\n  probe: {}\n  identity: {issuer: 'https://acme.example'}\n  "
            "sip-trunk: {listenPort: 0, requireGate: false, silenceTimeoutMs: 2000, registrar: "
            "{listenPort: 0" +
                registrar +
                "}}\ntenants:\n  acme.example:\n    sip-trunk:\n      trunks: [{id: a, host: 127.0.0.1, "
                "port: " +
                std::to_string(carrier.port()) + "}]\n      inboundRoutes: [{did: '+4930333', user: bob}]\n" +
                inbound,
            clock, {probe::http_entry()}) {
    REQUIRE(server.start_error() == "");
    bob_password = make_user("bob");
    port = port_in_log("listening for telephones");
    trunk_port = port_in_log("listening for SIP");
  }
  void restart() {
    server.restart();
    port = port_in_log("listening for telephones");
    trunk_port = port_in_log("listening for SIP");
  }
  std::string make_user(const std::string& name) {
    const auto made = probe::call(
        {"POST", "/api.ashx/v1/admin/users", R"({"username":")" + name + R"("})", {}, "acme.example"});
    REQUIRE(made.status == 201);
    return probe::text_member(made.body, "sipPassword");
  }
  uint16_t port_in_log(const std::string& line) const {
    const std::string log = server.log();
    const size_t end = log.find_first_of(" \n", log.find("address=", log.rfind(line)));
    return static_cast<uint16_t>(std::strtoul(log.c_str() + log.rfind(':', end) + 1, nullptr, 10));
  }
  std::string contacts(const NameValues& query = {}) {
    return probe::call({"GET", "/api.ashx/v1/admin/contacts", "", query, "acme.example"}).body;
  }

  RawPeer carrier;
  TestServer server;
  std::string bob_password;
  uint16_t port = 0;        // of the registrar
  uint16_t trunk_port = 0;  // of the trunks
};

struct RawPhone {
  explicit RawPhone(const RegistrarServer& of, const char* ip = "127.0.0.1") : server(of), peer(ip) {}

  // A REGISTER; `more`: further header lines.
  std::string request(const std::string& more = "", const std::string& contact = "", int expires_sec = 300) {
    const std::string to = "<sip:" + user + "@" + host + ">";
    std::string text =
        peer.request("REGISTER", "sip:" + host, to + ";tag=phone", to, "call@" + peer.address(), ++sequence);
    const size_t at = text.find("Contact: "), end = text.find("\r\n", at);
    text.replace(at, end - at,
                 contact.empty() ? "Contact: <sip:" + user + "@" + peer.address() + ">" : contact);
    text.insert(text.find("Content-Length"),
                (expires_sec >= 0 ? "Expires: " + std::to_string(expires_sec) + "\r\n" : "") + more);
    return text;
  }
  // Repeats the request while no answer comes (RFC 3261 section 17.1.2).
  std::string ask(const std::string& text) {
    for (int i = 0; i < 40; ++i) {
      peer.send(server.port, text);
      std::string answer;
      do answer = peer.receive("SIP/2.0 ", 500);
      while (!answer.empty() &&
             (answer.rfind("SIP/2.0 100", 0) == 0 || header(answer, "CSeq") != header(text, "CSeq")));
      if (!answer.empty()) return answer;
    }
    return {};
  }
  // The status of a REGISTER that answers a challenge.
  std::string register_with(const std::string& password, int expires_sec = 300,
                            const std::string& contact = "", const std::string& algorithm = "MD5") {
    challenged = ask(request("", contact, expires_sec));
    DigestAnswer answer;
    answer.user = user;
    answer.password = password;
    answer.algorithm = algorithm;
    answer.nonce = quoted_parameter(challenged, "nonce");
    answer.realm = host;
    answer.uri = "sip:" + host;
    final_answer = ask(request("Authorization: " + answer.text() + "\r\n", contact, expires_sec));
    return final_answer.substr(8, 3);
  }

  const RegistrarServer& server;
  RawPeer peer;
  std::string user = "bob";
  std::string host = "acme.example";
  int sequence = 0;
  std::string challenged;    // the answer without credentials
  std::string final_answer;  // the one to them
};

}  // namespace patchbay::test
