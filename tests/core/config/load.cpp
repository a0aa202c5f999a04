#include <doctest/doctest.h>

#include "config/config.h"

using namespace patchbay::core::config;

namespace {

Outcome<Draft> load_it(const std::string& text, Environment environment = {}) {
  return load_text({"/etc/patchbay/patchbay.yaml", std::move(environment), "/usr/lib/patchbay/plugins"},
                   text);
}

std::string load_faults(const std::string& text) {
  const auto outcome = load_it(text);
  return sentences(outcome.value ? check(*outcome.value, {}).problems : outcome.problems);
}

}  // namespace

TEST_CASE("an empty file gives a server with its defaults") {
  const auto outcome = load_it("");
  CHECK(outcome.value.has_value());
  if (!outcome.value) return;
  const Server& server = outcome.value->server();
  CHECK(server.data == "/etc/patchbay/data");
  CHECK(server.plugin_dir == "/usr/lib/patchbay/plugins");
  CHECK(server.admin_socket == "/etc/patchbay/data/admin.sock");
  CHECK(server.management_listen == "127.0.0.1:9090");
  CHECK_FALSE(server.log_json);
  CHECK(server.log_level == "info");
  CHECK(server.threads == 0);
  CHECK(server.drain_timeout_s == 30);
}

TEST_CASE("the server section is read, and the environment overrides it") {
  const auto outcome = load_it(
      "server:\n  data: ../var\n  management: {listen: '[::1]:1'}\n  log: {format: json}\n  threads: 2\n  "
      "drain_timeout_s: 5\n"
      "plugins: {rest-api: , whitelist: {}}\n",
      {{"PATCHBAY_SERVER__LOG__LEVEL", "debug"}, {"PATCHBAY_SERVER__THREADS", "4"}});
  CHECK(outcome.value.has_value());
  if (!outcome.value) return;
  CHECK(outcome.value->server().data == "/etc/var");
  CHECK(outcome.value->server().management_listen == "[::1]:1");
  CHECK(outcome.value->server().log_json);
  CHECK(outcome.value->server().log_level == "debug");
  CHECK(outcome.value->server().threads == 4);
  CHECK(outcome.value->server().drain_timeout_s == 5);
  CHECK(outcome.value->plugins() == std::vector<std::string>{"rest-api", "whitelist"});
}

TEST_CASE("problems name file, line, column and key") {
  CHECK(load_faults("server:\n  log: {level: loud}\n") ==
        "/etc/patchbay/patchbay.yaml:2:9: server.log.level must be one of \"debug\", \"info\", \"warn\", "
        "\"error\"");
  CHECK(load_faults("sever: {}\n") ==
        "/etc/patchbay/patchbay.yaml:1:1: sever is not a known field; did you mean server?");
  CHECK(load_faults("server: {threads: 300}\n") ==
        "/etc/patchbay/patchbay.yaml:1:10: server.threads must be at most 256");
  CHECK(load_faults("a: [\n").find("/etc/patchbay/patchbay.yaml:") == 0);
  CHECK(load_faults("plugins: [x]\n").find("plugins must be an object") != std::string::npos);
}

TEST_CASE("hosts are normalised and must differ, also as variable names") {
  CHECK(load_faults("tenants: {A.b: , 'a.B.:80': }\n").find("is the same host as another tenant") !=
        std::string::npos);
  CHECK(load_faults("tenants: {a.b: , a-b: }\n").find("has the same environment variables as a.b") !=
        std::string::npos);
  CHECK(load_faults("tenants: {'a/b': }\n").find("is not a host name") != std::string::npos);
}

TEST_CASE("a plugin's name cannot leave the plugin folder") {
  for (const char* bad : {"../x", "a/b", "A", "", "-x", "a.b"})
    CHECK(load_faults("plugins: {'" + std::string(bad) + "': }\n").find("is not a plugin's name") !=
          std::string::npos);
}

TEST_CASE("a missing file, and a path that is no file, are problems") {
  CHECK(load({"/nonexistent/x.yaml", {}, ""}).problems.at(0).text == "there is no such file");
  CHECK(load({"/tmp", {}, ""}).problems.at(0).text == "is not a file");
  CHECK(load({"/dev/zero", {}, ""}).problems.at(0).text == "is not a file");
}
