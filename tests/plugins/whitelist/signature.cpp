#include "signature.h"

#include <doctest/doctest.h>
#include <patchbay/hex.h>

#include <string>

#include "crypto/digest.h"

using namespace patchbay::whitelist;

namespace {

const std::string kSecret = "0123456789abcdef01234567";
std::string sign(const std::string& text) {
  return patchbay::to_hex(patchbay::lib::hmac_sha256(kSecret, text));
}

}  // namespace

TEST_CASE("the canonical strings are those of the specification") {
  CHECK(canonical("list", "voice.example.com") == "whitelist-list|voice.example.com");
  CHECK(canonical("add", "voice.example.com", 42) == "whitelist-add|voice.example.com|42");
}

TEST_CASE("a signature is hex in either case, with or without the prefix") {
  const std::string text = canonical("add", "t", 7);
  // printf 'whitelist-add|t|7' | openssl dgst -sha256 -hmac 0123456789abcdef01234567
  const std::string openssl = "f1202b5ab2cc7d4bae78e845c6ddcf0525bac766f6fbdc4d3831ab4855ca8d34";
  CHECK(sign(text) == openssl);
  CHECK(signature_matches(openssl, kSecret, text));
  CHECK(signature_matches("sha256=" + openssl, kSecret, text));
  std::string upper = openssl;
  for (char& c : upper) c = static_cast<char>(std::toupper(c));
  CHECK(signature_matches(upper, kSecret, text));
}

TEST_CASE("a signature of anything else is refused") {
  const std::string text = canonical("add", "t", 7), good = sign(text);
  CHECK_FALSE(signature_matches("", kSecret, text));
  CHECK_FALSE(signature_matches("sha256=", kSecret, text));
  CHECK_FALSE(signature_matches(good.substr(0, 62), kSecret, text));
  CHECK_FALSE(signature_matches(good + "00", kSecret, text));
  CHECK_FALSE(signature_matches(" " + good, kSecret, text));
  CHECK_FALSE(signature_matches("sha256=sha256=" + good, kSecret, text));
  CHECK_FALSE(signature_matches("sha1=" + good, kSecret, text));
  CHECK_FALSE(signature_matches(good, kSecret + "x", text));
  CHECK_FALSE(signature_matches(good, kSecret, canonical("add", "t", 8)));
  CHECK_FALSE(signature_matches(good, kSecret, canonical("write", "t", 7)));
  CHECK_FALSE(signature_matches(good, kSecret, canonical("add", "u", 7)));
  CHECK_FALSE(signature_matches(sign(canonical("list", "t")), kSecret, text));
}
