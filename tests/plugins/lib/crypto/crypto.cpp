#include <doctest/doctest.h>
#include <patchbay/hex.h>

#include <set>

#include "crypto/digest.h"
#include "crypto/random.h"

using namespace patchbay::lib;
using patchbay::to_hex;

TEST_CASE("SHA-256 and HMAC give the values of FIPS 180-2 and RFC 4231") {
  CHECK(to_hex(sha256("abc")) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(to_hex(sha256("")) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(to_hex(hmac_sha256("Jefe", "what do ya want for nothing?")) ==
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  CHECK(to_hex(hmac_sha256(std::string(131, '\xaa'),
                           "Test Using Larger Than Block-Size Key - Hash Key First")) ==
        "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

TEST_CASE("the constant-time comparison compares") {
  CHECK(equal_constant_time("", ""));
  CHECK(equal_constant_time("abc", "abc"));
  CHECK_FALSE(equal_constant_time("abc", "abd"));
  CHECK_FALSE(equal_constant_time("abc", "ab"));
  for (size_t size = 1; size < 40; ++size) {
    const std::string text(size, 'x');
    CHECK(equal_constant_time(text, std::string(text)));
    for (size_t at = 0; at < size; ++at) {
      std::string other = text;
      other[at] = 'y';
      CHECK_FALSE(equal_constant_time(text, other));
    }
  }
}

TEST_CASE("random text has its length, its alphabet and no repetition") {
  std::set<std::string> seen;
  for (int i = 0; i < 1000; ++i) {
    const auto text = random_base62(43);
    REQUIRE(text);
    CHECK(text->size() == 43);
    CHECK(text->find_first_not_of("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz") ==
          std::string::npos);
    CHECK(seen.insert(*text).second);
  }
}
