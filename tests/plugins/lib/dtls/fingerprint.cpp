#include "dtls/fingerprint.h"

#include <doctest/doctest.h>

using namespace patchbay;
using namespace patchbay::lib;

namespace {

std::string pairs(size_t count, const char* pair = "aB") {
  std::string text;
  for (size_t i = 0; i < count; ++i) text += (i > 0 ? ":" : "") + std::string(pair);
  return text;
}

}  // namespace

TEST_CASE("a fingerprint is parsed and written back in upper case") {
  const auto parsed = parse_fingerprint("SHA-256 " + pairs(32));
  REQUIRE(parsed);
  CHECK(parsed->hash == Fingerprint::Hash::sha256);
  CHECK(parsed->digest == std::string(32, '\xAB'));
  CHECK(to_text(*parsed) == "sha-256 " + pairs(32, "AB"));
  CHECK(parse_fingerprint("sha-384 " + pairs(48))->hash == Fingerprint::Hash::sha384);
  CHECK(parse_fingerprint("sha-512  " + pairs(64))->hash == Fingerprint::Hash::sha512);
}

TEST_CASE("weak hashes are not supported, and other text is no fingerprint") {
  CHECK(parse_fingerprint("sha-1 " + pairs(20)).error().code == Code::unsupported);
  CHECK(parse_fingerprint("md5 " + pairs(16)).error().code == Code::unsupported);
  for (const std::string& text :
       {std::string(), std::string("sha-256"), "sha-256 " + pairs(31), "sha-256 " + pairs(33),
        "sha-512 " + pairs(32), "sha-256 " + pairs(32, "ag"), "sha-256 " + std::string(95, 'a'),
        "sha-256 " + pairs(31) + ":a "})
    CHECK(parse_fingerprint(text).error().code == Code::invalid);
}
