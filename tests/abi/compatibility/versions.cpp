// Plugins that are older and newer than this core.
#include <doctest/doctest.h>

#include <string>

#include "compatibility/floor_tables.h"
#include "compatibility/lifecycle.h"
#include "compatibility/load_plugin.h"

namespace {

using patchbay::test::load_plugin;
using patchbay::test::TestServer;

const std::string kPlugins = PATCHBAY_ABI_COMPATIBILITY_PLUGINS;

std::string run(const std::string& file, const std::string& config, std::string* log = nullptr) {
  TestServer server("plugins: {future-abi: " + config + "}\ntenants: {localhost: {}}\n", nullptr,
                    {load_plugin(kPlugins + "/" + file)});
  const std::string error = server.start_error();
  CHECK(server.core().stop().ok());
  if (log != nullptr) *log = server.log();
  return error;
}

}  // namespace

TEST_CASE("a plugin built with a newer SDK runs without a function that this core lacks") {
  std::string log;
  CHECK(run("future-abi.so", "{}", &log) == "");
  CHECK(log.find("events are not flushed on this core") != std::string::npos);
}

TEST_CASE("a plugin that needs a function of a newer core fails with the reason and the fix") {
  CHECK(run("future-abi.so", "{must: true}") ==
        "future-abi not started: this core is too old for it: its patchbay.bus/1 has no flush; "
        "run it with a newer core");
}

TEST_CASE("a plugin that queries more than the floor of a table fails with what is missing") {
  CHECK(run("future-abi-sizeof.so", "{}") ==
        "future-abi not started: this core is too old for it: its patchbay.bus/1 has fewer functions; "
        "run it with a newer core");
}

TEST_CASE("the plugin kept from 0.1 runs in this core") {
  TestServer server(patchbay::test::yaml("moin"), nullptr,
                    {probe::entry(), load_plugin(kPlugins + "/frozen-0-1.so")});
  patchbay::test::run_lifecycle(server);
}
