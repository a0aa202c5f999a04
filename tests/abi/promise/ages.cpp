// Plugins older and younger than this core.
#include <doctest/doctest.h>

#include <string>

#include "promise/live.h"
#include "promise/loaded.h"
#include "promise/oldest_tables.h"

namespace {

using patchbay::test::loaded;
using patchbay::test::TestServer;

const std::string kPlugins = PATCHBAY_ABI_PROMISE_PLUGINS;

std::string run(const std::string& file, const std::string& config, std::string* log = nullptr) {
  TestServer server("plugins: {tomorrow: " + config + "}\ntenants: {localhost: {}}\n", nullptr,
                    {loaded(kPlugins + "/" + file)});
  const std::string error = server.start_error();
  CHECK(server.core().stop().ok());
  if (log != nullptr) *log = server.log();
  return error;
}

}  // namespace

TEST_CASE("a plugin of tomorrow does without what this core does not have yet") {
  std::string log;
  CHECK(run("tomorrow.so", "{}", &log) == "");
  CHECK(log.find("events are not flushed on this core") != std::string::npos);
}

TEST_CASE("a plugin of tomorrow that cannot do without says so in one sentence with the cure") {
  CHECK(run("tomorrow.so", "{must: true}") ==
        "tomorrow not started: this core is too old for it: its patchbay.bus/1 has no flush; "
        "run it with a newer core");
}

TEST_CASE("a plugin that asks for more than the floor of a table is told what is missing") {
  CHECK(run("tomorrow-insists.so", "{}") ==
        "tomorrow not started: this core is too old for it: its patchbay.bus/1 has fewer functions; "
        "run it with a newer core");
}

TEST_CASE("the plugin that was kept at 0.1 runs in this core") {
  TestServer server(patchbay::test::yaml("moin"), nullptr,
                    {probe::entry(), loaded(kPlugins + "/frozen-0-1.so")});
  patchbay::test::live(server);
}
