#include "conversation/dtmf_collector.h"

#include <doctest/doctest.h>
#include <patchbay/testing/test_environment.h>

#include <vector>

using namespace patchbay;
using ai_voice::DtmfCollector;

TEST_CASE("keys within two seconds form a group, and # ends it at once") {
  testing::TestEnvironment world;
  std::vector<std::string> got;
  auto& dtmf = world.make<DtmfCollector>(world.host(), kMainStrand);
  const auto press = [&](const char* key) { world.run([&] { dtmf.key(key); }); };
  const auto keys = [&] { return world.run([&] { return got; }); };
  world.run([&] { dtmf.on_keys([&](const std::string& all) { got.push_back(all); }); });
  press("1");
  CHECK(world.advance_ms(1500).ok());
  press("2");
  CHECK(world.advance_ms(1500).ok());
  CHECK(keys().empty());
  CHECK(world.advance_ms(600).ok());
  CHECK(keys() == std::vector<std::string>{"12"});
  press("3");
  press("#");
  CHECK(keys() == std::vector<std::string>{"12", "3#"});
  CHECK(world.advance_ms(5000).ok());
  CHECK(keys().size() == 2);
}
