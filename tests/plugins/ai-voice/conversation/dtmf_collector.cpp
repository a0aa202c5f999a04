#include "conversation/dtmf_collector.h"

#include <doctest/doctest.h>
#include <patchbay/testing/test_environment.h>

#include <vector>

using namespace patchbay;
using ai_voice::DtmfCollector;

TEST_CASE("keys within two seconds form a group, and # ends it at once") {
  testing::TestEnvironment environment;
  std::vector<std::string> got;
  auto& dtmf = environment.make<DtmfCollector>(environment.host(), kMainStrand);
  const auto press = [&](const char* key) { environment.run([&] { dtmf.key(key); }); };
  const auto keys = [&] { return environment.run([&] { return got; }); };
  environment.run([&] { dtmf.on_keys([&](const std::string& all) { got.push_back(all); }); });
  press("1");
  CHECK(environment.advance_ms(1500).ok());
  press("2");
  CHECK(environment.advance_ms(1500).ok());
  CHECK(keys().empty());
  CHECK(environment.advance_ms(600).ok());
  CHECK(keys() == std::vector<std::string>{"12"});
  press("3");
  press("#");
  CHECK(keys() == std::vector<std::string>{"12", "3#"});
  CHECK(environment.advance_ms(5000).ok());
  CHECK(keys().size() == 2);
}
