#include "subscription_secret.h"

#include <doctest/doctest.h>

#include <string>

using namespace patchbay;
using namespace patchbay::webhooks;

TEST_CASE("without a secret in the request a random one is made") {
  const auto first = read_secret(JsonView());
  const auto second = read_secret(JsonView());
  REQUIRE(first.ok());
  REQUIRE(second.ok());
  CHECK(first->size() == 64);
  CHECK(*first != *second);
}
