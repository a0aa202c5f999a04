#include "signing_key.h"

#include <doctest/doctest.h>

#include "support/json_without_host.h"

using patchbay::identity::KeyRing;
using patchbay::identity::SigningKey;

namespace {

// openssl ecparam -name prime256v1 -genkey -noout
constexpr char kPem[] = R"(-----BEGIN EC PRIVATE KEY-----
MHcCAQEEIPVQkDR4ouP/kCtJurVhiEflzhI6UmFeOKG2QbgeC5R2oAoGCCqGSM49
AwEHoUQDQgAEmWMtmAf6IuZMqaOISTyE5PB2kxjXdncDkmdIe8bG1BbTywYnbMIr
WqI9/ZJf7LZrZspCqi1H1ggxPm+f1TxwMw==
-----END EC PRIVATE KEY-----)";
constexpr char kOtherCurve[] = R"(-----BEGIN EC PRIVATE KEY-----
MIGkAgEBBDAS6Dt85ay4rvm8EoyDZLlAY+DTjrd9A8ucECzT7agL2LGI6+VqJDTz
ohQ4prsd+a+gBwYFK4EEACKhZANiAARP0aYb/vd5aRgAsCLb8DMRFiPbl/q2h1Kj
APj1d56/7/r97csb6K6O99btGsOok2YC+4Hp2fYKqug73iafHMv749IbhbORxb2O
crNq0wv0OgEZNfuytpz3hPXOH1UIO/I=
-----END EC PRIVATE KEY-----)";

}  // namespace

TEST_CASE("a key that was written and read again has the same key id") {
  const auto key = SigningKey::generate();
  REQUIRE(key);
  const auto der = key->to_der();
  REQUIRE(der);
  const auto again = SigningKey::from_der(*der);
  REQUIRE(again);
  CHECK(again->kid() == key->kid());
  CHECK(key->kid().size() == 43);
  CHECK(again->verify("text", *key->sign("text")));
  CHECK_FALSE(again->verify("texT", *key->sign("text")));
}

TEST_CASE("a PEM of P-256 is accepted and every other key is refused") {
  const auto key = SigningKey::from_pem(kPem);
  REQUIRE(key);
  CHECK(key->kid() == "Lt59dsPRfJb5pO6eQs1gWNcjcpuOGleZ7S5lSGgYP8E");
  CHECK_FALSE(SigningKey::from_pem(kOtherCurve));
  CHECK_FALSE(SigningKey::from_pem(""));
  CHECK_FALSE(SigningKey::from_pem("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"));
  CHECK_FALSE(SigningKey::from_der(""));
  CHECK_FALSE(SigningKey::from_der("\x30\x00"));
  const auto der = key->to_der();
  for (size_t length = 0; length < der->size(); ++length)
    CHECK_FALSE(SigningKey::from_der(der->substr(0, length)));
}

TEST_CASE("the key set is JSON with the public halves only") {
  std::vector<SigningKey> keys;
  keys.push_back(*SigningKey::from_pem(kPem));
  keys.push_back(*SigningKey::generate());
  const KeyRing ring(std::move(keys));
  const auto set = json_without_host(ring.jwks());
  REQUIRE(set);
  const auto list = (*set)["keys"];
  CHECK(list.size() == 2);
  CHECK(list.at(0).size() == 7);
  CHECK(list.at(0).text("kid", "") == ring.current().kid());
  CHECK(list.at(0).text("alg", "") == "ES256");
  CHECK_FALSE(list.at(0)["d"]);
  CHECK(KeyRing().find("x") == nullptr);
}
