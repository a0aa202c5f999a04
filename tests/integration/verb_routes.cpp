// `patchbay route` and `patchbay explain`: what one writes, the other finds.
#include <doctest/doctest.h>

#include <string>

#include "integration/verb_server.h"

using namespace patchbay;
using test::Said;
using test::verb_server_yaml;
using test::VerbServer;

namespace {

std::string yaml_with_two_trunks() {
  std::string yaml = verb_server_yaml();
  const std::string trunks = "trunks: [";
  return yaml.insert(yaml.find(trunks) + trunks.size(),
                     "{id: backup, host: 127.0.0.1, port: 1, transport: tcp}, ");
}

}  // namespace

TEST_CASE("outbound routes are added, moved, changed and deleted, and explain finds the row that counts") {
  VerbServer server(yaml_with_two_trunks());
  const Said none = server.ask({"route", "out", "list"});
  CHECK(none.text == "none\n\nNumbers that no row matches go through closed.\n");
  CHECK(server.ask({"explain", "+4930123456"}).has("result     would not be dialled: "));
  REQUIRE(server.ask({"whitelist", "add", "+4930123456"}).code == 0);
  const Said by_default = server.ask({"explain", "+4930123456"});
  CHECK(by_default.has("result     would be dialled: "));
  CHECK(by_default.has("gate       whitelist allows"));
  CHECK(by_default.has("route      none matches\n"));
  CHECK(by_default.has("trunk      closed at 127.0.0.1"));

  CHECK(server.ask({"route", "out", "add", "+49*", "backup", "closed"})
            .has("1         +49*   backup closed  api\n"));
  CHECK(server.ask({"route", "out", "add", "+49*", "backup"}).has("409 duplicate_route"));
  CHECK(server.ask({"route", "out", "add", "+43*", "nowhere"}).code == 1);
  CHECK(server.ask({"explain", "+4930123456"}).has("route      +49* -> backup closed (api, position 1)\n"));
  REQUIRE(server.ask({"route", "out", "add", "+4930*", "closed"}).code == 0);
  CHECK(server.ask({"explain", "+4930123456"})
            .has("note       +4930* -> closed (api, position 2): no call reaches it, behind +49* "));
  CHECK(server.ask({"route", "out", "move", "+4930*", "1"}).code == 0);
  CHECK(server.ask({"explain", "+4930123456"}).has("route      +4930* -> closed (api, position 1)\n"));
  CHECK(server.ask({"route", "out", "set", "+4930*", "backup"}).code == 0);
  const Said both = server.ask_on_terminal({"route", "out", "list"});
  CHECK(
      both.has("POSITION  MATCH   TRUNKS         SOURCE\n"
               "1         +4930*  backup         api\n"
               "2         +49*    backup closed  api\n"));
  CHECK(server.ask({"route", "out", "show", "+49*", "--json"}).has(R"("trunkIds":["backup","closed"])"));
  CHECK(server.ask({"route", "out", "delete", "+4930*"}).has("+4930*  backup  api"));
  CHECK(server.ask({"route", "out", "delete", "+4930*"}).has("404 not_found"));
  const Said explained = server.ask({"explain", "+4930123456", "--json"});
  CHECK(explained.has(R"("wouldDial":true)"));
  CHECK(explained.has(R"("match":"+49*")"));
  CHECK(server.ask({"explain"}).code == 1);
  CHECK(server.ask({"audit", "--action", "route."}).code == 0);
}

TEST_CASE("inbound routes are added, moved, changed and deleted, and explain finds the user who is called") {
  VerbServer server;
  CHECK(server.ask({"explain", "--inbound", "+4930555"}).has("call       to +4930555, without caller ID\n"));
  CHECK(server.ask({"route", "in", "add", "+4930555", "alice", "--from", "+43*"})
            .has("1         +4930555  +43*  alice  api\n"));
  REQUIRE(server.ask({"route", "in", "add", "+4930555", "bob"}).code == 0);
  REQUIRE(server.ask({"route", "in", "set", "*", "desk"}).code == 0);
  const auto decided = [&](const std::string& did, const std::string& from) {
    return server.ask({"explain", "--inbound", did, "--from", from}).text;
  };
  CHECK(decided("+4930555", "+431234").find("route      +4930555 from +43* -> alice (api, position 1)\n") !=
        std::string::npos);
  CHECK(decided("+4930555", "+441234").find("route      +4930555 -> bob (api, position 2)\n") !=
        std::string::npos);
  CHECK(decided("+4930999", "+441234").find(" -> desk (api)\n") != std::string::npos);
  REQUIRE(server.ask({"route", "in", "move", "+4930555", "1"}).code == 0);
  REQUIRE(server.ask({"route", "in", "set", "+4930555", "carol", "--from", "+43*"}).code == 0);
  const Said all = server.ask_on_terminal({"route", "in", "list"});
  INFO(all.text);
  CHECK(all.has("POSITION  DID       FROM  USER   SOURCE\n"));
  CHECK(all.has("carol  api\n"));
  CHECK(all.has("bob    api\n"));
  CHECK(all.has("desk   api\n"));
  CHECK(server.ask({"route", "in", "delete", "+4930555", "--from", "+43*"}).has("carol"));
  CHECK(server.ask({"route", "in", "show", "+4930555"}).has("bob"));
  CHECK(server.ask({"route", "in", "delete", "*"}).has("400 cannot_delete_catchall"));
  CHECK(server.ask({"route", "in", "show", "*"}).has("desk"));
  CHECK(server.ask({"route", "in", "list", "--json"}).has(R"("total":2)"));
}
