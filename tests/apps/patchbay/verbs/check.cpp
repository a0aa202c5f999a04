// Well-formed configurations with errors: `patchbay check`, `plugin doctor` and `serve` refuse them for the
// same reason.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>

#include "support/child_process.h"

using namespace patchbay;

namespace {

constexpr const char* kWorks =
    "server: {data: DATA, management: {listen: \"127.0.0.1:0\"}}\n"
    "plugins: {rest-api: {listen: \"127.0.0.1:0\"}, sip-trunk: {listenPort: 0}, media: {}}\n"
    "tenants: {localhost: {}}\n";

struct Answer {
  int code = -1;
  std::string text;

  bool says(const std::string& part) const { return text.find(part) != std::string::npos; }
};

struct Place : test::TempFolder {
  Place() {
    namespace fs = std::filesystem;
    fs::create_directory(file("plugins"));
    for (const char* name : {"ai-voice.so", "engine-gemini.so", "engine-local.so", "identity.so", "media.so",
                             "rest-api.so", "sip-trunk.so", "whitelist.so"})
      fs::create_symlink(std::string(TEST_PLUGINS) + "/" + name, file("plugins/") + name);
    fs::create_symlink(TEST_NOTES, file("plugins/notes.so"));
  }
  Answer run(std::vector<std::string> arguments, const std::string& yaml) const {
    std::string placed = yaml;
    if (const size_t at = placed.find("DATA"); at != std::string::npos)
      placed.replace(at, 4, path() + "/data");
    std::ofstream(file("a.yaml")) << placed;
    const std::string says = "says-" + std::to_string(++runs_);
    arguments.insert(arguments.begin(), std::getenv("PATCHBAY_PROGRAM"));
    arguments.insert(arguments.end(), {"--plugin-dir", file("plugins")});
    auto child = test::Child::spawn(arguments, path(), file(says));
    REQUIRE(child.ok());
    const int code = child->wait(std::chrono::seconds(60)).value_or(-1);
    return {code, test::read_text(file(says))};
  }
  // Returns what check prints. doctor and serve have to refuse the configuration for the same reason.
  Answer refused(const std::string& yaml, const std::string& reason) const {
    const Answer checked = run({"check", "a.yaml"}, yaml);
    CHECK(checked.code == 4);
    for (const std::vector<std::string>& verb :
         {std::vector<std::string>{"plugin", "doctor", "-c", "a.yaml"}, {"serve", "-c", "a.yaml"}}) {
      const Answer answer = run(verb, yaml);
      INFO(verb[0]);
      CHECK(answer.code == 4);
      CHECK_MESSAGE(answer.says(reason), answer.text);
    }
    CHECK_MESSAGE(checked.says(reason), checked.text);
    return checked;
  }

 private:
  mutable int runs_ = 0;
};

std::string with_trunk(const std::string& section) {
  return std::string(kWorks).substr(0, std::string(kWorks).find("tenants:")) +
         "tenants:\n  localhost:\n    sip-trunk: " + section + "\n";
}

}  // namespace

TEST_CASE("a valid configuration passes, and checking it creates no files") {
  const Place place;
  const Answer answer = place.run({"check", "a.yaml"}, kWorks);
  CHECK(answer.code == 0);
  CHECK_MESSAGE(answer.text == "a.yaml is fine\n", answer.text);
  CHECK_FALSE(std::ifstream(place.file("data")).good());
}

TEST_CASE("a configuration without plugins has nothing to serve") {
  const Place place;
  place.refused("", "names no plugin; add those to run under `plugins:`");
  place.refused("server: {data: DATA}\n", "names no plugin");
}

TEST_CASE("what a plugin requires must be configured") {
  const Place place;
  place.refused("server: {data: DATA}\nplugins: {notes: {}}\ntenants: {localhost: {}}\n",
                "it needs patchbay.http/1; add `rest-api:` to `plugins:`");
}

TEST_CASE("addresses that cannot be listened on are refused") {
  const Place place;
  const auto listens = [](const std::string& where) {
    return "server: {data: DATA}\nplugins: {rest-api: {listen: " + where + "}}\ntenants: {localhost: {}}\n";
  };
  for (const char* where : {"8080", "\"127.0.0.1\"", "\"localhost:80\""})
    place.refused(listens(where), "is not a numeric address and a port");
  place.refused(listens("[]"), "listen must name at least one address");
  place.refused(
      "server: {data: DATA, management: {listen: nowhere}}\nplugins: {rest-api: {}}\ntenants: {localhost: "
      "{}}\n",
      "'nowhere' is not a numeric address and a port");
}

TEST_CASE("routes to trunks that do not exist are refused by the trunks' plugin") {
  const Place place;
  place.refused(with_trunk("{trunks: [{id: a, host: 127.0.0.1}], defaultTrunkId: b}"), "sip-trunk");
  place.refused(
      with_trunk(
          "{trunks: [{id: a, host: 127.0.0.1}], outboundRoutes: [{match: \"+49*307\", trunkIds: [a]}]}"),
      "sip-trunk");
  place.refused(
      with_trunk("{trunks: [{id: a, host: 127.0.0.1}], outboundRoutes: [{match: \"*\", trunkIds: [c]}]}"),
      "sip-trunk");
}

TEST_CASE("an engine's address and CA file, and a tenant's call settings, are checked before any call") {
  const Place place;
  const auto with = [](const std::string& engine, const std::string& tenant) {
    return "server: {data: DATA}\nplugins: {rest-api: {listen: \"127.0.0.1:0\"}, media: {}, ai-voice: {}, "
           "engine-gemini: " +
           engine + "}\ntenants: {localhost: {ai-voice: " + tenant + "}}\n";
  };
  const std::string setting = "plugins.engine-gemini.";
  place.refused(with("{url: \"https://127.0.0.1/x\"}", "{}"),
                setting + "url: WebSocket URL: must start with wss:// or ws://");
  place.refused(with("{caFile: nowhere.pem}", "{}"),
                setting + "caFile cannot be read: " + place.path() + "/nowhere.pem");
  place.refused(with("{}", "{email: nobody}"), "tenants.localhost.ai-voice.email must be an e-mail address");
  place.refused(with("{}", "{apiKey: \"has some blanks\"}"),
                "tenants.localhost.ai-voice.apiKey must consist of");
  std::ofstream(place.file("ca.pem")) << "x";
  const Answer fine =
      place.run({"check", "a.yaml"}, with("{url: \"ws://127.0.0.1:1\", caFile: ca.pem}", "{email: a@b}"));
  CHECK_MESSAGE(fine.code == 0, fine.text);
}

TEST_CASE("an error of a plugin's check names the line of the setting") {
  const Place place;
  const Answer answer = place.run({"check", "a.yaml"}, R"(server: {data: DATA}
plugins:
  identity: {issuer: "https://a.example"}
tenants:
  a.example:
    primary: true
    identity:
      clients:
        - patchbay-admin
        - id: portal
          redirectUris:
            - http://portal.example/callback
)");
  CHECK(answer.code == 4);
  CHECK_MESSAGE(answer.says("a.yaml:12:15: identity would not start: "
                            "tenants.a.example.identity.clients[1].redirectUris[0]: must "
                            "begin with https:"),
                answer.text);
}

TEST_CASE("errors of a plugin's check are reported together with errors elsewhere in the file") {
  const Place place;
  const std::string trunks =
      "tenants: {localhost: {sip-trunk: {trunks: [{id: a, host: 127.0.0.1}], defaultTrunkId: b}}}\n";
  const std::string begin = "server: {data: DATA, management: {listen: \"127.0.0.1:0\"}}\n";
  const auto check = [&](const std::string& yaml) {
    Answer answer = place.run({"check", "a.yaml"}, yaml);
    CHECK(answer.code == 4);
    CHECK_MESSAGE(answer.says("sip-trunk would not start"), answer.text);
    CHECK_MESSAGE(answer.says("defaultTrunkId"), answer.text);
    return answer;
  };
  // An error in another plugin's section, a plugin that is not installed, a requirement that is not met.
  const Answer misspelt =
      check(begin + "plugins: {rest-api: {lisen: \"127.0.0.1:0\"}, sip-trunk: {listenPort: 0}, media: {}}\n" +
            trunks);
  CHECK_MESSAGE(misspelt.says("did you mean listen?"), misspelt.text);
  CHECK_FALSE(misspelt.says("rest-api would not start"));
  const Answer missing =
      check(begin + "plugins: {sip-trunk: {listenPort: 0}, media: {}, medea: {}}\n" + trunks);
  CHECK_MESSAGE(missing.says("did you mean media?"), missing.text);
  const Answer unmet = check(begin + "plugins: {sip-trunk: {listenPort: 0}, notes: {}}\n" + trunks);
  CHECK_MESSAGE(unmet.says("notes would not start: it needs patchbay.http/1"), unmet.text);

  // No plugin is checked when the error concerns all of them.
  const Answer server = place.run({"check", "a.yaml"},
                                  "server: {data: DATA, threads: many}\n"
                                  "plugins: {sip-trunk: {listenPort: 0}}\n" +
                                      trunks);
  CHECK(server.code == 4);
  CHECK_FALSE(server.says("would not start"));
}

TEST_CASE("the engines' settings of earlier versions are refused with the place they have moved to") {
  const Place place;
  place.refused(
      "server: {data: DATA}\nplugins: {rest-api: {listen: \"127.0.0.1:0\"}, media: {}, ai-voice: {engines: "
      "{gemini-live: {setupMs: 5000}}}}\ntenants: {localhost: {}}\n",
      "plugins.ai-voice.engines: engines are plugins of their own now; write `engine-gemini:");
}

TEST_CASE("an engine without ai-voice says what to add") {
  const Place place;
  place.refused(
      "server: {data: DATA}\nplugins: {rest-api: {listen: \"127.0.0.1:0\"}, media: {}, engine-local: {}}\n"
      "tenants: {localhost: {}}\n",
      "add `ai-voice:` to `plugins:`");
}

TEST_CASE("unusable key and certificate files are refused") {
  const Place place;
  const auto keys_in = [](const std::string& file) {
    return "server: {data: DATA, management: {listen: \"127.0.0.1:0\"}}\n"
           "plugins: {rest-api: {listen: \"127.0.0.1:0\"}, identity: {issuer: \"https://a.example\", "
           "keyFile: " +
           file + "}}\ntenants: {localhost: {}}\n";
  };
  place.refused(keys_in("nowhere.pem"), "cannot read keyFile " + place.path() + "/nowhere.pem");
  std::ofstream(place.file("no-key.pem")) << "no key\n";
  place.refused(keys_in("no-key.pem"), "keyFile " + place.path() + "/no-key.pem: ");
  std::string tls(kWorks);
  tls.replace(tls.find("rest-api: {"), 11, "rest-api: {tls: {cert: nowhere.pem, key: no-key.pem}, ");
  place.refused(tls, "certificate " + place.path() + "/nowhere.pem");
}

TEST_CASE("the check of an isolated plugin runs in its process") {
  const Place place;
  const auto isolated = [](std::string yaml) {
    return yaml.replace(yaml.find("listenPort: 0"), 13, "isolation: process, listenPort: 0");
  };
  place.refused(isolated(with_trunk("{trunks: [{id: a, host: 127.0.0.1}], defaultTrunkId: b}")), "sip-trunk");
  const Answer fine = place.run({"check", "a.yaml"}, isolated(kWorks));
  CHECK(fine.code == 0);
  CHECK_MESSAGE(fine.text == "a.yaml is fine\n", fine.text);
}

TEST_CASE("a tenant's section for a plugin without tenant settings is refused") {
  const Place place;
  std::string yaml(kWorks);
  yaml.replace(yaml.find("{localhost: {}}"), 15, "{localhost: {media: {x: 1}}}");
  place.refused(yaml, "tenants.localhost.media.x is not a known field");
}

TEST_CASE("all errors are reported at once, also next to a misspelt top-level key") {
  const Place place;
  const Answer answer =
      place.refused("server: {data: DATA}\ntenant: {}\nplugins: {rest-api: {lisen: x}, meda: {}}\n",
                    "tenant is not a known field; did you mean tenants?");
  CHECK_MESSAGE(answer.says("plugins.rest-api.lisen is not a known field; did you mean listen?"),
                answer.text);
  CHECK_MESSAGE(answer.says("plugins.meda is not installed"), answer.text);
}

TEST_CASE("a short shared secret causes a warning, and the reserved WebPhone keys are accepted") {
  const Place place;
  const Answer answer =
      place.run({"check", "a.yaml"},
                "server: {data: DATA}\nplugins: {whitelist: {}, rest-api: {listen: \"127.0.0.1:0\"}}\n"
                "tenants: {localhost: {WebPhone: {AdminSharedSecret: short, Sfu: {StressWindowSec: 1, "
                "StressBwMbpsThreshold: 2}}}}\n");
  CHECK(answer.code == 0);
  CHECK_MESSAGE(
      answer.says("a.yaml:3:34: tenants.localhost.WebPhone.AdminSharedSecret is shorter than 24 characters"),
      answer.text);
}
