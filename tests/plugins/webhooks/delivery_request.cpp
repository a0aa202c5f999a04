#include "delivery_request.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "signature.h"

using namespace patchbay::webhooks;

TEST_CASE("a delivery's id depends on the event and the subscription only") {
  const std::string id = delivery_id("17", "0123456789abcdef");
  CHECK(id.size() == 32);
  CHECK(id == delivery_id("17", "0123456789abcdef"));
  CHECK(id != delivery_id("18", "0123456789abcdef"));
  CHECK(id != delivery_id("17", "0123456789abcdee"));
}

TEST_CASE("the envelope has the event's data unchanged") {
  CHECK(
      envelope("call.ended", "voice.example.com", 1763620612007, R"({ "b":1, "a":"é" })") ==
      R"({"event":"call.ended","tenant":"voice.example.com","ts":"2025-11-20T06:36:52.007Z","data":{ "b":1, "a":"é" }})");
  CHECK(envelope("e", "t", 0, "") ==
        R"({"event":"e","tenant":"t","ts":"1970-01-01T00:00:00.000Z","data":{}})");
}

TEST_CASE("the headers name the event, the delivery and the attempt, and sign body and time") {
  Delivery delivery;
  delivery.id = "d1";
  delivery.topic = "call.ended";
  delivery.body = "{}";
  delivery.attempt = 2;
  const std::vector<std::string> headers = delivery_headers(delivery, "a-secret", 1'700'000'000'999);
  for (const std::string& header :
       {std::string("X-Platform-Event: call.ended"), std::string("X-Platform-Delivery-Id: d1"),
        std::string("X-Platform-Attempt: 3"), std::string("X-Platform-Timestamp: 1700000000"),
        "X-Platform-Signature: " + signature("a-secret", "{}"),
        "X-Platform-Signature-V2: " + signature_v2("a-secret", "1700000000", "{}")}) {
    CAPTURE(header);
    CHECK(std::count(headers.begin(), headers.end(), header) == 1);
  }
}
