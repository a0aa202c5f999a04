#include <doctest/doctest.h>

#include "installed_plugins.h"

using namespace patchbay::core::config;

namespace {

std::string faults(const std::string& text, Environment environment = {}) {
  const auto outcome = InstalledPlugins().config(text, std::move(environment));
  CHECK(outcome.value.has_value() == outcome.problems.empty());
  return sentences(outcome.problems);
}

}  // namespace

TEST_CASE("problems inside a plugin's section have line and column") {
  CHECK(faults("plugins:\n  sip-trunk:\ntenants:\n  acme.example:\n    sip-trunk:\n      trunks:\n        - "
               "number: 1\n") ==
        "/etc/pb.yaml:7:11: tenants.acme.example.sip-trunk.trunks[0].host is required");
  CHECK(faults("plugins:\n  whitelist: {rate: 0}\n") ==
        "/etc/pb.yaml:2:15: plugins.whitelist.rate must be at least 1");
  CHECK(faults("plugins:\n  rest-api:\n    lisen: x\n") ==
        "/etc/pb.yaml:3:5: plugins.rest-api.lisen is not a known field; did you mean listen?");
}

TEST_CASE("a plugin that is not installed is refused with a similar name") {
  CHECK(faults("plugins: {whitlist: }\n") ==
        "/etc/pb.yaml:1:11: plugins.whitlist is not installed in /plugins; did you mean whitelist?");
}

TEST_CASE("a tenant's keys are its own, WebPhone or a named plugin") {
  CHECK(faults("plugins: {whitelist: }\ntenants: {a: {sip-trunk: {}}}\n") ==
        "/etc/pb.yaml:2:15: tenants.a.sip-trunk is not a known field; known are primary, name, WebPhone, "
        "whitelist");
  CHECK(
      faults("plugins: {rooms: }\ntenants: {a: {name: A, WebPhone: {Sfu: {StressWindowSec: 9}}}}\n").empty());
}

TEST_CASE("exactly one tenant is primary") {
  CHECK(faults("tenants: {a: , b: }\n").find("tenants need a primary one") != std::string::npos);
  CHECK(faults("tenants: {a: {primary: true}, b: {primary: true}}\n")
            .find("tenants.b.primary must not be true") != std::string::npos);
  CHECK(faults("tenants: {a: {primary: true}, b: }\n").empty());
  CHECK(faults("tenants: {a: }\n").empty());
}

TEST_CASE("all problems are reported at once, in file order, up to twenty") {
  const std::string all = faults("plugins:\n  whitelist: {rate: x}\n  rest-api: {a: 1}\n  rooms: {b: 2}\n");
  CHECK(all.find("pb.yaml:2:15") < all.find("pb.yaml:3:14"));
  CHECK(all.find("pb.yaml:3:14") < all.find("pb.yaml:4:11"));
  std::string many = "plugins:\n  rest-api:\n";
  for (int i = 0; i < 50; ++i) many += "    k" + std::to_string(i) + ": 1\n";
  CHECK(InstalledPlugins().config(many).problems.size() == 20);
}

TEST_CASE("problems outside of the plugins do not hide problems inside") {
  CHECK(faults("tenant: {}\nplugins:\n  whitelist: {rate: 0}\n  Not_One: {}\n  rest-api: {a: 1}\n"
               "server: {threads: 300}\ntenants: {'a/b': }\n") ==
        "/etc/pb.yaml:1:1: tenant is not a known field; did you mean tenants?\n"
        "/etc/pb.yaml:3:15: plugins.whitelist.rate must be at least 1\n"
        "/etc/pb.yaml:4:3: plugins.Not_One is not a plugin's name; write small letters, digits and -\n"
        "/etc/pb.yaml:5:14: plugins.rest-api.a is not a known field; known are isolation, restarts, paths, "
        "listen\n"
        "/etc/pb.yaml:6:10: server.threads must be at most 256\n"
        "/etc/pb.yaml:7:11: tenants.a/b is not a host name; write one such as voice.example.com");
}

TEST_CASE("a secret that is shorter than advised is accepted with a warning that does not show it") {
  const auto schema = patchbay::core::json::parse(
      R"({"WebPhone":{"properties":{"AdminSharedSecret":{"type":"string","x-secret":true,"x-advised-length":24}}}})");
  const auto warned = [&](const std::string& secret) {
    const auto draft =
        load_text({"/etc/pb.yaml", {}, "/plugins"},
                  "plugins: {whitelist: }\ntenants: {a: {WebPhone: {AdminSharedSecret: " + secret + "}}}\n");
    const auto config = check(*draft.value, {{"whitelist", &schema->root()}});
    CHECK(config.value.has_value());
    return sentences(config.problems);
  };
  CHECK(warned("twenty-four-characters-x") == "");
  CHECK(warned("twenty-three-characters") ==
        "/etc/pb.yaml:2:26: tenants.a.WebPhone.AdminSharedSecret is shorter than 24 characters; write a "
        "longer one");
}

TEST_CASE("a problem from the environment names the variable") {
  CHECK(faults("plugins: {whitelist: }\n", {{"PATCHBAY_PLUGIN_WHITELIST__RATE", "1000"}}) ==
        "environment variable PATCHBAY_PLUGIN_WHITELIST__RATE: plugins.whitelist.rate must be at most 100");
}

TEST_CASE("no problem shows a secret") {
  const std::string text =
      faults("plugins: {whitelist: }\ntenants: {a: {WebPhone: {AdminSharedSecret: hunter2}}}\n");
  CHECK(text == "/etc/pb.yaml:2:26: tenants.a.WebPhone.AdminSharedSecret must have at least 24 characters");
}
