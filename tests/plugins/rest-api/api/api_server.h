// A server with rest-api, echo_plugin and fake_auth, and clients of its three listeners.
#pragma once

#include <doctest/doctest.h>

#include "echo_plugin.h"
#include "fake_auth.h"
#include "support/http_client.h"
#include "support/test_server.h"

namespace rest_api_test {

using patchbay::test::HttpAnswer;
using patchbay::test::HttpClient;

// One server thread, so that all connections see the same routes.
inline constexpr char kConfig[] = R"(
plugins:
  rest-api: {listen: "127.0.0.1:0", threads: 1}
  fake-auth: {}
  echo-plugin: {}
tenants:
  a.example: {primary: true}
  b.example: {}
)";

// kConfig with limits of rest-api.
inline std::string with_limits(const std::string& limits) {
  std::string yaml = kConfig;
  return yaml.replace(yaml.find("threads: 1}"), 11, "threads: 1, limits: {" + limits + "}}");
}

struct ApiServer {
  patchbay::test::TestServer core;
  HttpClient http{""}, management{""}, admin{""};

  explicit ApiServer(const std::string& yaml = kConfig, patchbay::core::ManualClock* clock = nullptr,
                     const std::function<void(patchbay::CoreOptions&)>& adjust = nullptr)
      : core(yaml, clock, {echo_plugin(), fake_auth()}, {}, adjust) {
    REQUIRE(core.start_error() == "");
    http = HttpClient::of(core);
    management = HttpClient::of(core, "management");
    admin = HttpClient::of(core, "admin");
    REQUIRE(http.wait_for("GET", "/t/last"));
  }
  HttpAnswer as(const std::string& bearer, const std::string& method, const std::string& target,
                const std::string& body = {}) const {
    return http.ask(method, target, body, {"Authorization: Bearer " + bearer});
  }
};

inline bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}
inline std::string error_text(const char* code, const std::string& description) {
  return std::string(R"({"error":")") + code + R"(","error_description":")" + description + "\"}";
}

}  // namespace rest_api_test
