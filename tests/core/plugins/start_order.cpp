#include "plugins/start_order.h"

#include <doctest/doctest.h>

using namespace patchbay::core;

TEST_CASE("a service without a provider is reported with the most similar name") {
  Manifest greeter;
  greeter.id = "greeter";
  greeter.requires_ = {"patchbay.htp/1"};
  const auto refused = start_order({greeter}, {{"patchbay.http/1", "rest-api"}}).refused;
  REQUIRE(refused.count(0) == 1);
  CHECK(refused.at(0) ==
        "it needs patchbay.htp/1, which no plugin in the plugin folder provides; did you mean "
        "patchbay.http/1?");
  greeter.requires_ = {"acme.ledger/1"};
  CHECK(start_order({greeter}, {{"patchbay.http/1", "rest-api"}}).refused.at(0) ==
        "it needs acme.ledger/1, which no plugin in the plugin folder provides");
}
