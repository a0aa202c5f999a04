// Challenges as trunks send them: algorithms, several challenges in one line or in several lines.
#include <doctest/doctest.h>
#include <openssl/evp.h>
#include <patchbay/hex.h>

#include <array>
#include <map>

#include "plugins/sip-trunk/caller.h"
#include "plugins/sip-trunk/raw_peer.h"

using namespace patchbay::sip_trunk;
using namespace patchbay::test;

namespace {

std::string hash(const EVP_MD* algorithm, const std::string& text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
  unsigned size = 0;
  REQUIRE(EVP_Digest(text.data(), text.size(), digest.data(), &size, algorithm, nullptr) == 1);
  return patchbay::to_hex({reinterpret_cast<const char*>(digest.data()), size});
}

// Returns the parameters after the scheme. No value in these tests contains a comma.
std::map<std::string, std::string> parameters(const std::string& credentials) {
  std::map<std::string, std::string> found;
  size_t at = credentials.find(' ');
  while (at < credentials.size()) {
    const size_t begin = credentials.find_first_not_of(" ,", at);
    if (begin == std::string::npos) break;
    at = std::min(credentials.find(',', begin), credentials.size());
    const std::string one = credentials.substr(begin, at - begin);
    const size_t equals = one.find('=');
    std::string value = one.substr(equals + 1);
    if (value.size() >= 2 && value.front() == '"') value = value.substr(1, value.size() - 2);
    found[one.substr(0, equals)] = value;
  }
  return found;
}

// Computes `response` by RFC 7616 section 3.4.
std::string expected(std::map<std::string, std::string>& given) {
  const std::string& algorithm = given["algorithm"];
  const auto hashed = [&](const std::string& text) {
    return hash(algorithm.rfind("SHA-512-256", 0) == 0 ? EVP_sha512_256()
                : algorithm.rfind("SHA-256", 0) == 0   ? EVP_sha256()
                                                       : EVP_md5(),
                text);
  };
  std::string key = hashed("alice:r:secret");
  if (algorithm.ends_with("-sess")) key = hashed(key + ":" + given["nonce"] + ":" + given["cnonce"]);
  const std::string request = hashed("INVITE:" + given["uri"]);
  if (given["qop"].empty()) return hashed(key + ":" + given["nonce"] + ":" + request);
  return hashed(key + ":" + given["nonce"] + ":" + given["nc"] + ":" + given["cnonce"] + ":" + given["qop"] +
                ":" + request);
}

struct Challenged {
  Challenged() : stack(*start_stack()) {}

  // Dials, and challenges the INVITE with these header lines.
  std::string challenge(const std::string& lines) {
    auto call = call_to(peer.port());
    call.trunk.username = "alice";
    call.trunk.password = "secret";
    call.trunk.realm = "r";
    REQUIRE(stack->dial(call, caller));
    const std::string invite = peer.receive("INVITE ");
    peer.send(stack->port(), answer_to(invite, "401 Unauthorized", "", lines));
    return invite;
  }
  // Returns the credentials of the second INVITE and ends the call.
  std::string credentials(const std::string& lines) {
    challenge(lines);
    CHECK_FALSE(peer.receive("ACK ").empty());
    const std::string again = peer.receive("INVITE ");
    peer.send(stack->port(), answer_to(again, "486 Busy Here"));
    CHECK(caller.wait_ended().sip_status == 486);
    CHECK(wait_no_handles(*stack));
    return header(again, "Authorization");
  }

  Caller caller;
  RawPeer peer;
  std::unique_ptr<SipStack> stack;
};

}  // namespace

TEST_CASE("challenges of MD5, SHA-256 and SHA-512-256 are answered by RFC 7616 and RFC 8760") {
  struct Row {
    const char* lines;
    const char* algorithm;
    const char* nonce;
  };
  for (const Row& row : {
           Row{"WWW-Authenticate: Digest realm=\"r\", nonce=\"n1\"\r\n", "MD5", "n1"},
           Row{"WWW-Authenticate: Digest realm=\"r\", nonce=\"n2\", algorithm=md5, qop=\"auth\"\r\n", "MD5",
               "n2"},
           Row{"WWW-Authenticate: Digest realm=\"r\", nonce=\"n3\", algorithm=MD5-sess, qop=\"auth\"\r\n",
               "MD5-sess", "n3"},
           Row{"WWW-Authenticate: Digest "
               "realm=\"r\",nonce=\"n4\",algorithm=\"MD5-sess\",qop=\"auth-int,auth\""
               "\r\n",
               "MD5-sess", "n4"},
           Row{"WWW-Authenticate: Digest realm=\"r\", nonce=\"n5\", algorithm=SHA-256, qop=\"auth\"\r\n",
               "SHA-256", "n5"},
           Row{"WWW-Authenticate: Digest realm=\"r\", nonce=\"n6\", algorithm=sha-256-sess, qop=\"auth\"\r\n",
               "SHA-256-sess", "n6"},
           Row{"WWW-Authenticate: Digest realm=\"r\", nonce=\"n7\", algorithm=SHA-512-256\r\n", "SHA-512-256",
               "n7"},
       }) {
    CAPTURE(std::string(row.lines));
    Challenged call;
    const std::string text = call.credentials(row.lines);
    CAPTURE(text);
    auto given = parameters(text);
    CHECK(given["algorithm"] == row.algorithm);
    CHECK(given["nonce"] == row.nonce);
    CHECK(given["username"] == "alice");
    CHECK(given["response"] == expected(given));
  }
}

TEST_CASE("of several challenges, in one line or more, the first supported one is answered") {
  for (const char* lines : {
           "WWW-Authenticate: Digest realm=\"other\", nonce=\"x\", Digest realm=\"r\", nonce=\"ours\"\r\n",
           "WWW-Authenticate: Digest realm=\"r\", nonce=\"ours\", algorithm=SHA-256, qop=\"auth\", "
           "Digest realm=\"r\", nonce=\"x\", algorithm=MD5, qop=\"auth\"\r\n",
           "WWW-Authenticate: Digest realm=\"r\", nonce=\"x\", algorithm=SHA3, qop=\"auth\"\r\n"
           "WWW-Authenticate: Digest realm=\"r\", nonce=\"ours\", algorithm=MD5, qop=\"auth\"\r\n",
           "WWW-Authenticate: Basic realm=\"r\", Digest realm=\"r\", nonce=\"ours\"\r\n",
           "WWW-Authenticate: Digest realm=\"other\", nonce=\"x\"\r\n"
           "WWW-Authenticate: Digest realm=\"r\", nonce=\"x\", algorithm=AKAv1-MD5\r\n"
           "WWW-Authenticate: Digest realm=\"r\", nonce=\"ours\", qop=auth\r\n",
           "WWW-Authenticate: Digest realm=\"r\", nonce=\"ours\", Digest realm=\"other\", nonce=\"x\"\r\n",
       }) {
    CAPTURE(std::string(lines));
    Challenged call;
    auto given = parameters(call.credentials(lines));
    CHECK(given["nonce"] == "ours");
    CHECK(given["realm"] == "r");
    CHECK(given["response"] == expected(given));
  }
}

TEST_CASE("a challenge that cannot be answered ends the call with the reason") {
  struct Row {
    const char* lines;
    const char* why;
  };
  for (const Row& row : {
           Row{"WWW-Authenticate: Digest realm=\"r\", nonce=\"n\", algorithm=SHA3, qop=\"auth\"\r\n",
               "the trunk asks for the digest algorithm SHA3, known are MD5, SHA-256 and SHA-512-256"},
           Row{"WWW-Authenticate: Digest realm=\"r\", nonce=\"n\", algorithm=MD5-sess\r\n",
               "the trunk asks for the digest algorithm MD5-sess without qop"},
           Row{"WWW-Authenticate: Basic realm=\"r\"\r\n", "the trunk asks for another scheme than Digest"},
           Row{"WWW-Authenticate: Digest realm=\"r\"\r\n", "the trunk's challenge has no nonce"},
           Row{"WWW-Authenticate: Digest realm=\"other\", nonce=\"n\"\r\n",
               "the trunk asks for credentials of the realm \"other\", configured is \"r\""},
           Row{"", "the trunk asks for credentials without a challenge"},
       }) {
    CAPTURE(std::string(row.lines));
    Challenged call;
    call.challenge(row.lines);
    const DialogEnd ended = call.caller.wait_ended();
    CHECK(ended.reason == EndReason::rejected);
    CHECK(ended.sip_status == 401);
    CHECK(ended.detail == row.why);
    CHECK(wait_no_handles(*call.stack));
    CHECK(call.caller.ended_count() == 1);
  }
}

TEST_CASE("malformed challenges end the call") {
  std::string many = "WWW-Authenticate: Digest realm=\"r\"";
  for (int i = 0; i < 500; ++i) many += ", Digest realm=\"x" + std::to_string(i) + "\", nonce=\"n\"";
  for (const std::string& lines :
       {std::string("WWW-Authenticate: Digest\r\n"), std::string("WWW-Authenticate: Digest ,,,\r\n"),
        std::string("WWW-Authenticate: Digest realm=\"r, nonce=n\r\n"),
        std::string("WWW-Authenticate: Digest =, = Digest, \"\"\r\n"), many + "\r\n",
        "WWW-Authenticate: Digest realm=\"r\", nonce=\"" + std::string(20'000, 'n') + "\"\r\n"}) {
    CAPTURE(lines.substr(0, 80));
    Challenged call;
    call.challenge(lines);
    const DialogEnd ended = call.caller.wait_ended();
    CHECK(ended.sip_status == 401);
    CHECK_FALSE(ended.detail.empty());
    CHECK(wait_no_handles(*call.stack));
  }
}

TEST_CASE(
    "a proxy's challenge and then the server's are answered in turn, and the last INVITE has both answers") {
  Challenged call;
  const std::string first = call.challenge("");  // a 401 without a challenge ends the call
  CHECK(call.caller.wait_ended().sip_status == 401);
  CHECK(header(first, "Authorization").empty());

  Challenged chain;
  auto outbound = call_to(chain.peer.port());
  outbound.trunk.username = "alice";
  outbound.trunk.password = "secret";
  outbound.trunk.realm = "r";
  REQUIRE(chain.stack->dial(outbound, chain.caller));
  const auto refuse = [&](const std::string& status, const std::string& name, const std::string& nonce) {
    const std::string invite = chain.peer.receive("INVITE ");
    REQUIRE_FALSE(invite.empty());
    chain.peer.send(chain.stack->port(), answer_to(invite, status, "",
                                                   name + ": Digest realm=\"r\", nonce=\"" + nonce +
                                                       "\", algorithm=SHA-256, qop=\"auth\"\r\n" + name +
                                                       ": Digest realm=\"r\", nonce=\"md5-" + nonce +
                                                       "\", algorithm=MD5, qop=\"auth\"\r\n"));
    CHECK_FALSE(chain.peer.receive("ACK ").empty());
    return invite;
  };
  CHECK(header(refuse("407 Proxy Authentication Required", "Proxy-Authenticate", "proxy"),
               "Proxy-Authorization")
            .empty());
  const std::string second = refuse("401 Unauthorized", "WWW-Authenticate", "server");
  CHECK(parameters(header(second, "Proxy-Authorization"))["nonce"] == "proxy");
  const std::string third = chain.peer.receive("INVITE ");
  for (const auto& [name, nonce] : {std::pair{"Proxy-Authorization", "proxy"}, {"Authorization", "server"}}) {
    CAPTURE(std::string(name));
    auto given = parameters(header(third, name));
    CHECK(given["nonce"] == nonce);
    CHECK(given["algorithm"] == "SHA-256");
    CHECK(given["response"] == expected(given));
  }
  chain.peer.send(chain.stack->port(), answer_to(third, "486 Busy Here"));
  CHECK(chain.caller.wait_ended().sip_status == 486);
  CHECK(wait_no_handles(*chain.stack));
}
