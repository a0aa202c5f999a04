// The plugins of this repository, each isolated and confined: those that can be isolated start and stop, the
// others fail with the reason.
#include <doctest/doctest.h>

#include <filesystem>
#include <map>
#include <sstream>
#include <string>

#include "dialler.h"
#include "isolation/isolation_support.h"
#include "support/probe_requests.h"
#include "support/sipp_peer.h"
#include "support/test_server.h"

namespace {

using namespace patchbay;

// The contents of each plugin's section, by id.
const std::map<std::string, std::string> kOurs = {
    {"ai-voice", ""},
    {"engine-gemini", ""},
    {"engine-local", ""},
    {"identity", "issuer: \"https://voice.example.com\""},
    {"media", ""},
    {"rest-api", "listen: \"127.0.0.1:0\", threads: 1"},
    {"sip-trunk", "listenPort: 0, requireGate: false"},
    {"transcripts", ""},
    {"webhooks", ""},
    {"numbers", ""},
    {"whitelist", ""},
};
// The files of the examples, by id.
std::map<std::string, std::string> examples() {
  std::map<std::string, std::string> files;
  std::istringstream all(ISOLATION_EXAMPLES);
  for (std::string file; std::getline(all, file, ':');)
    files[std::filesystem::path(file).stem().string()] = file;
  return files;
}

// All plugins of this repository, and optionally one more; one of them is isolated.
std::string all_with(const std::string& isolated) {
  std::map<std::string, std::string> plugins = kOurs;
  plugins.try_emplace(isolated, "");
  std::string yaml = "plugins:\n";
  for (const auto& [id, inside] : plugins) {
    const std::string apart = id != isolated   ? ""
                              : inside.empty() ? "isolation: process"
                                               : "isolation: process, ";
    yaml += "  " + id + ": {" + apart + inside + "}\n";
  }
  return yaml + "tenants: {localhost: {primary: true}}\n";
}

void runs_confined(const std::string& id) {
  CAPTURE(id);
  test::TestServer server(all_with(id), nullptr, {}, examples());
  CHECK(server.start_error() == "");
  Core& core = server.core();
  CHECK(isolation_test::metric(core, "patchbay_plugin_up{plugin=\"" + id + "\"}") == 1);
  if (core::isolation::landlock_version() > 0)
    CHECK(core.report("ready").find(R"("isolation":"contained")") != std::string::npos);
  const Status stopped = core.stop();
  CHECK((stopped ? "" : stopped.error().text) == "");
  CAPTURE(server.log());
  CHECK(server.log().find("the plugin's process has ended") == std::string::npos);
  CHECK(server.log().find("not permitted") == std::string::npos);
  CHECK(server.log().find("ermission denied") == std::string::npos);
}

void is_refused(const std::string& id, const std::string& why) {
  CAPTURE(id);
  test::TestServer server(all_with(id));
  INFO(server.start_error());
  CHECK(server.start_error().find(id + " not started: " + why) != std::string::npos);
}

}  // namespace

TEST_CASE("plugins of this repository start and stop isolated") {
  for (const auto& [id, inside] : kOurs) {
    if (id != "media" && id != "rest-api") runs_confined(id);
  }
}

TEST_CASE("examples start and stop isolated") {
  for (const auto& [id, file] : examples()) runs_confined(id);
  CHECK(examples().size() == 9);
}

TEST_CASE("plugins that cannot be isolated fail with the reason") {
  is_refused("media", "it joins the audio ports of other plugins");
  is_refused("rest-api", "it opens the admin socket");
}

TEST_CASE("an isolated trunk makes a call, and ends it when the server stops") {
  test::Sipp sipp = isolation_test::answering();
  isolation_test::Dialler server(sipp.port(), "", "isolation: process, ");
  REQUIRE(server.start_error() == "");
  Core& core = server.core();
  server.give("test.dial", "+4930123456");
  INFO(server.log());
  CHECK(probe::eventually([&] { return isolation_test::metric(core, "patchbay_media_joins") == 1; }));
  CHECK(probe::eventually([&] { return isolation_test::metric(core, "patchbay_sip_trunk_legs") == 1; }));
  CHECK(core.stop().ok());
  CHECK(probe::eventually([&] { return sipp.messages().find("BYE sip:") != std::string::npos; }));
  CHECK(sipp.result() == 0);
}
