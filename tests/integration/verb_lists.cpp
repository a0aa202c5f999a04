// Lists of `patchbay` are complete, however many pages the server makes of them.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "integration/verb_server.h"

using namespace patchbay;
using test::Said;
using test::verb_server_yaml;
using test::VerbServer;

namespace {

constexpr int kConfigured = 620;  // more than a page, which has 500 rows
constexpr int kKeys = 51;         // more than a page that names no limit

// The yaml of a server whose tenants have that many numbers, and routes that lead to its trunk.
std::string yaml_with_numbers() {
  std::string list, routes;
  for (int i = 0; i < kConfigured; ++i) {
    const std::string number = std::to_string(100000 + i);
    list += (i == 0 ? "" : ", ") + ("{number: \"" + number + "\", name: N" + number + ", mode: disabled}");
    routes += (i == 0 ? "" : ", ") + ("{match: \"" + number + "\", trunkIds: [closed]}");
  }
  std::string yaml = verb_server_yaml();
  const std::string trunk = "sip-trunk: {defaultTrunkId", tenant = "    primary: true\n";
  yaml.replace(yaml.find(trunk), 12, "sip-trunk: {outboundRoutes: [" + routes + "], ");
  return yaml.insert(yaml.find(tenant), "    numbers: {list: [" + list + "]}\n");
}

size_t lines_in(const Said& said) {
  return static_cast<size_t>(std::count(said.text.begin(), said.text.end(), '\n'));
}

}  // namespace

TEST_CASE("a list of several pages is shown whole, and up to --limit with a note on a terminal") {
  VerbServer server(yaml_with_numbers());
  REQUIRE(server.ask({"number", "create", "999999", "--name", "Last", "--mode", "disabled"}).code == 0);
  const Said all = server.ask({"number", "list"});
  CHECK(all.code == 0);
  CHECK(lines_in(all) == kConfigured + 2);  // the headings, and the number that was created
  CHECK(all.has("999999  Last"));
  const Said json = server.ask({"number", "list", "--json"});
  CHECK(json.has(R"("number":"100000")"));
  CHECK(json.has(R"("number":"999999")"));
  CHECK(json.has(R"("tenant":"one.example")"));
  CHECK(json.has(R"("total":621,"limit":621,"offset":0,"next":null})"));
  CHECK_FALSE(server.ask_on_terminal({"number", "list"}).has("are shown"));

  const Said some = server.ask({"number", "list", "--limit", "550"});
  CHECK(lines_in(some) == 551);
  CHECK_FALSE(some.has("are shown"));
  CHECK(server.ask_on_terminal({"number", "list", "--limit", "550"})
            .has("patchbay: 550 of 621 are shown; a greater --limit shows more\n"));
  CHECK(server.ask({"number", "list", "--limit", "550", "--json"}).has(R"("total":621,"limit":550,)"));
  CHECK(server.ask({"number", "list", "--limit", "0"}).code == 2);

  const Said routes = server.ask({"route", "out", "list", "--offset", "10"});
  CHECK(routes.has("100010"));
  CHECK(routes.has("100619"));
  CHECK_FALSE(routes.has("100009"));
  CHECK(routes.has("\nNumbers that no row matches go through closed.\n"));
  CHECK(server.ask({"number", "list", "--tenant", "two.example"}).text == "none\n");
}

TEST_CASE("the newest key is in the list, however many came before it") {
  VerbServer server;
  for (int i = 1; i <= kKeys; ++i)
    REQUIRE(server.ask({"key", "create", "k" + std::to_string(i), "--tenant", "two.example"}).code == 0);
  const Said keys = server.ask({"key", "list", "--tenant", "two.example"});
  CHECK(lines_in(keys) == kKeys + 1);
  CHECK(keys.has("  k51  "));
  const Said changes = server.ask_on_terminal({"audit", "--tenant", "two.example"});
  CHECK(changes.has("patchbay: 50 of 51 are shown; a greater --limit shows more\n"));
  CHECK(lines_in(server.ask({"audit", "--limit", "600", "--tenant", "two.example"})) == kKeys + 1);
}
