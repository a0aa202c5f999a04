#include "crypto/recent_digests.h"

#include <doctest/doctest.h>

#include <string>

#include "crypto/digest.h"

namespace patchbay::lib {
namespace {

TEST_CASE("a remembered digest is that of its text") {
  RecentDigests digests;
  for (int round = 0; round < 3; ++round) {
    CHECK(digests.sha256_of("") == sha256(""));
    CHECK(digests.sha256_of("a") == sha256("a"));
    CHECK(digests.sha256_of(std::string(5000, 'x')) == sha256(std::string(5000, 'x')));
  }
}

TEST_CASE("texts that end alike have their own digests") {
  RecentDigests digests;
  const std::string end(32, 's');
  for (int round = 0; round < 2; ++round)
    for (int i = 0; i < 50; ++i) {
      const std::string text = std::to_string(i) + end;
      CHECK(digests.sha256_of(text) == sha256(text));
    }
}

TEST_CASE("more texts than are remembered have their own digests") {
  RecentDigests digests;
  for (int round = 0; round < 2; ++round)
    for (int i = 0; i < 200; ++i) CHECK(digests.sha256_of(std::to_string(i)) == sha256(std::to_string(i)));
}

}  // namespace
}  // namespace patchbay::lib
