// The plugin numbers on a fake host.
#pragma once

#include <doctest/doctest.h>
#include <patchbay/testing/fake_audit.h>
#include <patchbay/testing/fake_host.h>

#include <string>

#include "support/fake_host_options.h"

namespace numbers_test {

using patchbay::testing::why;

inline constexpr char kList[] = "/api.ashx/v1/numbers";
inline constexpr char kAdmin[] = "/api.ashx/v1/admin/numbers";
// "localhost" is the tenant of requests by default.
inline constexpr char kTenants[] = R"({"localhost": {}, "b.example": {}})";

struct Fixture {
  explicit Fixture(const std::string& tenants = kTenants)
      : host(NUMBERS_PLUGIN, patchbay::test::on_test_store()), audit(host) {
    REQUIRE(why(host.start("{}", tenants)) == "");
  }
  ~Fixture() { CHECK(host.problem_text() == ""); }
  Fixture(const Fixture&) = delete;
  Fixture& operator=(const Fixture&) = delete;

  patchbay::http::Response ask(const std::string& method, const std::string& target,
                               const std::string& body = "", const std::string& tenant = "localhost") {
    patchbay::testing::Ask request;
    request.method = method;
    request.target = target;
    request.body = body;
    request.tenant = tenant;
    return host.ask(request);
  }
  // Creates an AI number and returns the status.
  int64_t make(const std::string& number, const std::string& more = "",
               const std::string& tenant = "localhost") {
    return ask("POST", kAdmin,
               R"({"name": "Desk", "systemPrompt": "Help.", "number": ")" + number + "\"" + more + "}",
               tenant)
        .status;
  }

  patchbay::testing::FakeHost host;
  const patchbay::testing::FakeAudit audit;
};

inline bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace numbers_test
