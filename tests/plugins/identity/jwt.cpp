#include "jwt.h"

#include <doctest/doctest.h>
#include <patchbay/base64.h>
#include <patchbay/hex.h>

#include <vector>

#include "crypto/digest.h"
#include "support/json_without_host.h"

using namespace patchbay;
using namespace patchbay::identity;

namespace {

constexpr int64_t kNow = 1'800'000'000;

const KeyRing& ring() {
  static const KeyRing keys = [] {
    std::vector<SigningKey> all;
    all.push_back(*SigningKey::generate());
    all.push_back(*SigningKey::generate());
    return KeyRing(std::move(all));
  }();
  return keys;
}
const SigningKey& key() { return ring().current(); }

JwtRules rules(int64_t now_sec = kNow) {
  return {ring(), &json_without_host,
          [](std::string_view tenant) {
            return tenant == "a.example" ? std::string("https://a.example") : std::string();
          },
          "patchbay", now_sec};
}

// Replaces one claim or member by raw JSON, or omits it for "".
using Change = std::pair<std::string, std::string>;

std::string object(std::vector<Change> members, const Change& change) {
  std::string out;
  bool found = false;
  const auto put = [&out](const Change& member) {
    if (member.second.empty()) return;
    out += (out.empty() ? "\"" : ",\"") + member.first + "\":" + member.second;
  };
  for (const Change& member : members) {
    const bool is_it = member.first == change.first;
    put(is_it ? change : member);
    found = found || is_it;
  }
  if (!found && !change.first.empty()) put(change);
  return "{" + out + "}";
}

std::string header(const Change& change = {}) {
  return object({{"alg", "\"ES256\""}, {"typ", "\"at+jwt\""}, {"kid", "\"" + key().kid() + "\""}}, change);
}
std::string payload(const Change& change = {}) {
  return object({{"iss", "\"https://a.example\""},
                 {"aud", "\"patchbay\""},
                 {"sub", "\"0123\""},
                 {"preferred_username", "\"alice\""},
                 {"tenant", "\"a.example\""},
                 {"role", "\"admin\""},
                 {"iat", std::to_string(kNow - 10)},
                 {"exp", std::to_string(kNow + 100)},
                 {"jti", "\"x\""}},
                change);
}
std::string unsigned_part(const std::string& head, const std::string& body) {
  return to_base64url(head) + "." + to_base64url(body);
}
std::string token(const std::string& head, const std::string& body) {
  const std::string text = unsigned_part(head, body);
  return text + "." + to_base64url(*key().sign(text));
}
std::string good() { return token(header(), payload()); }

bool accepted(const std::string& text, int64_t now_sec = kNow) {
  return verify_access_token(text, rules(now_sec)).ok();
}
bool with_header(const std::string& name, const std::string& value) {
  return accepted(token(header({name, value}), payload()));
}
bool with_claim(const std::string& name, const std::string& value) {
  return accepted(token(header(), payload({name, value})));
}

}  // namespace

TEST_CASE("a token of this server is accepted, and its claims are read") {
  const auto claims = verify_access_token(good(), rules());
  REQUIRE(claims);
  CHECK(claims->issuer == "https://a.example");
  CHECK(claims->subject == "0123");
  CHECK(claims->username == "alice");
  CHECK(claims->tenant == "a.example");
  CHECK(claims->role == "admin");
  CHECK(claims->expires_sec == kNow + 100);
  const auto made = sign_jwt(key(), kAccessType, payload());
  CHECK(accepted(*made));
}

TEST_CASE("no other algorithm is accepted, in any spelling") {
  for (const char* alg : {"none", "None", "NONE", "nOnE", "", "es256", "ES256 ", "HS256", "RS256", "PS256",
                          "ES384", "ES512", "ES256K", "EdDSA"})
    CHECK_FALSE(with_header("alg", "\"" + std::string(alg) + "\""));
  for (const char* raw : {"", "null", "1", "true", "[\"ES256\"]", "{}"}) CHECK_FALSE(with_header("alg", raw));
  const std::string none = unsigned_part(header({"alg", "\"none\""}), payload());
  CHECK_FALSE(accepted(none + "."));
  CHECK_FALSE(accepted(none));
}

TEST_CASE("the public key is not accepted as an HMAC secret") {
  const std::string text = unsigned_part(header({"alg", "\"HS256\""}), payload());
  for (const std::string& secret : {key().jwk(), key().kid(), std::string()})
    CHECK_FALSE(accepted(text + "." + to_base64url(lib::hmac_sha256(secret, text))));
}

TEST_CASE("header members that contain keys, refer to keys or change the rules are refused") {
  CHECK_FALSE(with_header("jwk", key().jwk()));
  for (const char* name : {"jku", "x5u"}) CHECK_FALSE(with_header(name, "\"https://evil.example/jwks\""));
  CHECK_FALSE(with_header("x5c", "[\"MIIB\"]"));
  CHECK_FALSE(with_header("x5t", "\"AAAA\""));
  CHECK_FALSE(with_header("crit", "[\"exp\"]"));
  CHECK_FALSE(with_header("crit", "[]"));
  CHECK_FALSE(with_header("b64", "false"));
  CHECK_FALSE(with_header("zip", "\"DEF\""));
  CHECK_FALSE(with_header("cty", "\"JWT\""));
}

TEST_CASE("only tokens signed by a key of the ring are accepted, each under its own key id") {
  for (const char* kid : {"\"\"", "\"../../etc/passwd\"", "\"' OR 1=1 --\"", "\"x\\u0000\"", "null", "1", ""})
    CHECK_FALSE(with_header("kid", kid));
  const SigningKey stranger = *SigningKey::generate();
  const std::string text = unsigned_part(header(), payload());
  CHECK_FALSE(accepted(text + "." + to_base64url(*stranger.sign(text))));
  const std::string theirs = unsigned_part(header({"kid", "\"" + stranger.kid() + "\""}), payload());
  CHECK_FALSE(accepted(theirs + "." + to_base64url(*stranger.sign(theirs))));
  const std::string other_kid = *sign_jwt(*ring().find(key().kid()), kAccessType, payload());
  CHECK(accepted(other_kid));
  const JwtRules later{KeyRing(), &json_without_host, rules().issuer_of, "patchbay", kNow};
  CHECK_FALSE(verify_access_token(good(), later));  // rotated out
}

TEST_CASE("an id_token or a token without a type is not accepted as an access token") {
  for (const char* type : {"\"JWT\"", "\"jwt\"", "\"AT+JWT\"", "\"\"", "null", ""})
    CHECK_FALSE(with_header("typ", type));
}

TEST_CASE("a signature must have 64 bytes and match key and text") {
  const std::string text = unsigned_part(header(), payload());
  const std::string signature = *key().sign(text);
  const auto signed_by = [&](const std::string& bytes) { return text + "." + to_base64url(bytes); };
  CHECK(accepted(signed_by(signature)));
  CHECK_FALSE(accepted(signed_by("")));
  CHECK_FALSE(accepted(signed_by(std::string(64, '\0'))));  // r = s = 0
  CHECK_FALSE(accepted(signed_by(std::string(32, '\0') + signature.substr(32))));
  CHECK_FALSE(accepted(signed_by(signature.substr(0, 32) + std::string(32, '\0'))));
  CHECK_FALSE(accepted(signed_by(std::string(64, '\xff'))));
  CHECK_FALSE(accepted(signed_by(signature.substr(0, 63))));
  CHECK_FALSE(accepted(signed_by(signature + '\0')));
  CHECK_FALSE(accepted(signed_by(signature.substr(32) + signature.substr(0, 32))));
  const std::string order = *from_hex("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551");
  CHECK_FALSE(accepted(signed_by(order + order)));
  CHECK_FALSE(accepted(signed_by(order + signature.substr(32))));
  for (size_t bit = 0; bit < 512; bit += 37) {
    std::string flipped = signature;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ 1 << bit % 8);
    CHECK_FALSE(accepted(signed_by(flipped)));
  }
}

TEST_CASE("a change of any byte of the signed text is detected") {
  const std::string text = good();
  const size_t end = text.rfind('.');
  for (size_t i = 0; i < end; ++i) {
    std::string changed = text;
    changed[i] = changed[i] == 'A' ? 'B' : 'A';
    CHECK_FALSE(accepted(changed));
  }
}

TEST_CASE("only the compact serialisation in canonical base64url is accepted") {
  const std::string text = good();
  CHECK_FALSE(accepted(""));
  CHECK_FALSE(accepted("."));
  CHECK_FALSE(accepted(".."));
  CHECK_FALSE(accepted("..."));
  CHECK_FALSE(accepted(text + "."));
  CHECK_FALSE(accepted(text + ".AAAA"));
  CHECK_FALSE(accepted(text + "=="));
  CHECK_FALSE(accepted(text + " "));
  CHECK_FALSE(accepted(" " + text));
  CHECK_FALSE(accepted(text + "\n"));
  CHECK_FALSE(accepted(text + std::string(1, '\0')));
  // The last character of 64 encoded bytes has four unused bits, which must be 0.
  std::string stray = text;
  const size_t place = std::string("AQgw").find(stray.back());
  REQUIRE(place != std::string::npos);
  stray.back() = "BRhx"[place];
  CHECK_FALSE(accepted(stray));
  CHECK_FALSE(accepted(R"({"payload":"e30","signatures":[]})"));
}

TEST_CASE("headers and payloads that are not objects, or have a repeated name, are refused") {
  for (const char* json : {"", "[]", "null", "\"x\"", "{", "{}{}", "\xef\xbb\xbf{}"}) {
    CHECK_FALSE(accepted(token(json, payload())));
    CHECK_FALSE(accepted(token(header(), json)));
  }
  std::string twice = payload();
  twice.insert(twice.size() - 1, R"(,"tenant":"b.example")");
  CHECK_FALSE(accepted(token(header(), twice)));
  std::string head = header();
  head.insert(head.size() - 1, R"(,"alg":"ES256")");
  CHECK_FALSE(accepted(token(head, payload())));
  CHECK_FALSE(with_claim("x", std::string(100, '[') + std::string(100, ']')));
}

TEST_CASE("issuer, audience and tenant must be strings, and those of this server") {
  for (const char* value : {"\"https://b.example\"", "\"https://a.example/\"", "\"HTTPS://a.example\"",
                            "\"\"", "null", "[\"https://a.example\"]", ""})
    CHECK_FALSE(with_claim("iss", value));
  for (const char* value : {"\"patchbay-admin\"", "[\"patchbay\",\"x\"]", "\"\"", "null", "1", ""})
    CHECK_FALSE(with_claim("aud", value));
  for (const char* value : {"\"b.example\"", "\"A.example\"", "\"\"", "null", "[]", ""})
    CHECK_FALSE(with_claim("tenant", value));
  for (const char* name : {"sub", "preferred_username", "role", "jti"})
    for (const char* value : {"\"\"", "null", "1", "[\"x\"]", "{}", ""}) CHECK_FALSE(with_claim(name, value));
}

TEST_CASE("a token is valid until exp, and from a minute before nbf and iat") {
  const auto at = [](int64_t seconds) { return std::to_string(kNow + seconds); };
  CHECK(with_claim("exp", at(1)));
  CHECK_FALSE(with_claim("exp", at(0)));
  CHECK_FALSE(with_claim("exp", at(-1)));
  CHECK(with_claim("nbf", at(60)));
  CHECK_FALSE(with_claim("nbf", at(61)));
  CHECK(with_claim("iat", at(60)));
  CHECK_FALSE(with_claim("iat", at(61)));
  for (const char* value : {"", "null", "\"1900000000\"", "1900000000.5", "-1", "1e400",
                            "9223372036854775807", "9223372036854775808", "[1900000000]", "true"})
    CHECK_FALSE(with_claim("exp", value));
  for (const char* value : {"", "null", "\"1\"", "-1"}) CHECK_FALSE(with_claim("iat", value));
  for (const char* value : {"null", "\"1\"", "-1", "1.5"}) CHECK_FALSE(with_claim("nbf", value));
}

TEST_CASE("a token longer than the maximum is refused without parsing") {
  CHECK_FALSE(with_claim("x", "\"" + std::string(4096, 'x') + "\""));
  CHECK_FALSE(accepted(std::string(65'536, 'A')));
  CHECK_FALSE(accepted(std::string(65'536, '.')));
}

TEST_CASE("an error has the reason and never the token") {
  const auto refused = verify_access_token(token(header(), payload({"exp", "1"})), rules());
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == Code::denied);
  CHECK(refused.error().text == "expired");
}
