// The reference plugin in the real core.
#include <doctest/doctest.h>

#include <fstream>
#include <string>

#include "promise/live.h"
#include "promise/loaded.h"
#include "promise/oldest_tables.h"

namespace {

using patchbay::test::live;
using patchbay::test::loaded;
using patchbay::test::TestServer;
using patchbay::test::yaml;

const std::string kReferencePlugins = PATCHBAY_ABI_PROMISE_PLUGINS;

}  // namespace

TEST_CASE("every function of the boundary is used by the reference plugin in the real core") {
  TestServer server(yaml("moin"), nullptr,
                    {probe::entry(), loaded(kReferencePlugins + "/reference-counted.so")});
  live(server);
  std::ifstream counts(server.data() / "reference-plugin" / "slots");
  size_t slots = 0;
  std::string slot;
  for (uint64_t calls = 0; counts >> slot >> calls; ++slots) {
    if (calls == 0) FAIL_CHECK("the reference plugin does not use " << slot);
  }
  CHECK(slots > 85);
}

TEST_CASE("the reference plugin runs on a core that serves the oldest tables") {
  const pb_entry* entry = loaded(kReferencePlugins + "/reference-counted.so");
  TestServer server(yaml("moin"), nullptr, {probe::entry(), patchbay::test::on_oldest_tables(*entry)});
  live(server);
}

TEST_CASE("the reference plugin runs in a process of its own, which serves every function of the boundary") {
  const auto isolated = [](const std::string& word) {
    return "plugins: {probe: {}, reference-plugin: {isolation: process, word: " + word +
           "}}\ntenants: {localhost: {}}\n";
  };
  TestServer server(isolated("moin"), nullptr, {probe::entry()},
                    {{"reference-plugin", kReferencePlugins + "/reference-counted.so"}});
  live(server, isolated);
}
