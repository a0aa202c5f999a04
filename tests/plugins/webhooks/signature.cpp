#include "signature.h"

#include <doctest/doctest.h>

using namespace patchbay::webhooks;

TEST_CASE("signatures are those of openssl dgst -sha256 -hmac") {
  CHECK(signature("0123456789abcdef", R"({"event":"call.ended","data":{"name":"Zoë ☎"}})") ==
        "sha256=c4ec6136f08f7474b018f017c49373ccfc949c1d8757ccba1bb9c8c5fc599ed2");
  // RFC 4231, test case 2
  CHECK(signature("Jefe", "what do ya want for nothing?") ==
        "sha256=5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  CHECK(signature_v2("k", "1700000000", "{}") == signature("k", "1700000000.{}"));
}
