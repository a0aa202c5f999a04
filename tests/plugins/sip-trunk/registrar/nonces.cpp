#include "registrar/nonces.h"

#include <doctest/doctest.h>

#include "stack/sip_limits.h"

using namespace patchbay::sip_trunk;

TEST_CASE("a nonce is valid for its address and its time only") {
  const Nonces nonces("key");
  const std::string nonce = nonces.make("192.0.2.7", 1000);
  CHECK(nonces.is_valid(nonce, "192.0.2.7", 1000));
  CHECK(nonces.is_valid(nonce, "192.0.2.7", 1000 + kNonceLifetimeMs));
  CHECK_FALSE(nonces.is_valid(nonce, "192.0.2.7", 1001 + kNonceLifetimeMs));
  CHECK_FALSE(nonces.is_valid(nonce, "192.0.2.7", 999));
  CHECK_FALSE(nonces.is_valid(nonce, "192.0.2.8", 1000));
  CHECK_FALSE(Nonces("other").is_valid(nonce, "192.0.2.7", 1000));
  CHECK(nonces.make("192.0.2.7", 1000) != nonce);
}

TEST_CASE("a nonce that was changed anywhere is not valid") {
  const Nonces nonces("key");
  const std::string nonce = nonces.make("192.0.2.7", 1000);
  for (size_t i = 0; i < nonce.size(); ++i) {
    std::string changed = nonce;
    changed[i] = changed[i] == '0' ? '1' : '0';
    CHECK_FALSE(nonces.is_valid(changed, "192.0.2.7", 1000));
  }
  CHECK_FALSE(nonces.is_valid("", "192.0.2.7", 1000));
  CHECK_FALSE(nonces.is_valid(nonce + "0", "192.0.2.7", 1000));
}

TEST_CASE("copies of a request get the same tag") {
  const Nonces nonces("key");
  CHECK(nonces.tag("a@b") == nonces.tag("a@b"));
  CHECK(nonces.tag("a@b") != nonces.tag("a@c"));
}
