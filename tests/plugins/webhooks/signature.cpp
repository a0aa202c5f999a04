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

TEST_CASE("a delivery's id depends on the event and the subscription only") {
  const std::string id = delivery_id("17", "0123456789abcdef");
  CHECK(id.size() == 32);
  CHECK(id == delivery_id("17", "0123456789abcdef"));
  CHECK(id != delivery_id("18", "0123456789abcdef"));
  CHECK(id != delivery_id("17", "0123456789abcdee"));
}

TEST_CASE("a configured subscription's id depends on tenant and URL") {
  // printf 'a.example.comhttps://b.example.com/x' | sha256sum
  CHECK(subscription_id("a.example.com", "https://b.example.com/x") == "6332f5ffc6e76e3d");
  CHECK(subscription_id("a", "https://b/") != subscription_id("b", "https://b/"));
}

TEST_CASE("the envelope has the event's data unchanged") {
  CHECK(
      envelope("call.ended", "voice.example.com", 1763620612007, R"({ "b":1, "a":"é" })") ==
      R"({"event":"call.ended","tenant":"voice.example.com","ts":"2025-11-20T06:36:52.007Z","data":{ "b":1, "a":"é" }})");
  CHECK(envelope("e", "t", 0, "") ==
        R"({"event":"e","tenant":"t","ts":"1970-01-01T00:00:00.000Z","data":{}})");
}
