// The reference plugin in the real core.
#include <doctest/doctest.h>

#include <fstream>
#include <string>

#include "compatibility/floor_tables.h"
#include "compatibility/lifecycle.h"
#include "compatibility/load_plugin.h"

namespace {

using patchbay::test::load_plugin;
using patchbay::test::run_lifecycle;
using patchbay::test::TestServer;
using patchbay::test::yaml;

const std::string kReferencePlugins = PATCHBAY_ABI_COMPATIBILITY_PLUGINS;

}  // namespace

TEST_CASE("every function of the boundary is used by the reference plugin in the real core") {
  TestServer server(yaml("moin"), nullptr,
                    {probe::entry(), load_plugin(kReferencePlugins + "/reference-counted.so")});
  run_lifecycle(server);
  std::ifstream counts(server.data() / "reference-plugin" / "slots");
  size_t slots = 0;
  std::string slot;
  for (uint64_t calls = 0; counts >> slot >> calls; ++slots) {
    if (calls == 0) FAIL_CHECK("the reference plugin does not use " << slot);
  }
  CHECK(slots > 85);
}

TEST_CASE("the reference plugin runs on tables that end at their floors") {
  const pb_entry* entry = load_plugin(kReferencePlugins + "/reference-counted.so");
  TestServer server(yaml("moin"), nullptr, {probe::entry(), patchbay::test::with_floor_tables(*entry)});
  run_lifecycle(server);
}

TEST_CASE("the reference plugin runs isolated, where every function of the boundary works, too") {
  const auto isolated = [](const std::string& word) {
    return "plugins: {probe: {}, reference-plugin: {isolation: process, word: " + word +
           "}}\ntenants: {localhost: {}}\n";
  };
  TestServer server(isolated("moin"), nullptr, {probe::entry()},
                    {{"reference-plugin", kReferencePlugins + "/reference-counted.so"}});
  run_lifecycle(server, isolated);
}
