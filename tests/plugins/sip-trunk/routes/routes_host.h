// RoutesHost: the plugin on a fake host, with two tenants, and requests to its routes.
#pragma once

#include <doctest/doctest.h>
#include <patchbay/testing/fake_audit.h>
#include <patchbay/testing/fake_host.h>

#include <string>

#include "support/fake_host_options.h"

namespace patchbay::test {

struct RoutesHost {
  // `sections` are members of the section of acme.example, `trunk` members of its trunks, each behind a
  // comma.
  explicit RoutesHost(const std::string& sections = "", const std::string& trunk = "")
      : host(SIP_TRUNK_PLUGIN, on_test_store()), audit(host) {
    REQUIRE(testing::why(host.start(R"({"listenPort":0})", tenants(sections, trunk))) == "");
  }
  static std::string tenants(const std::string& sections, const std::string& trunk = "") {
    const std::string trunks = R"("trunks":[{"id":"main","host":"192.0.2.1")" + trunk +
                               R"(},{"id":"backup","host":"192.0.2.2")" + trunk + "}]";
    return R"({"acme.example":{"primary":true,"section":{)" + trunks + sections +
           R"(}},"other.example":{"section":{"trunks":[{"id":"theirs","host":"192.0.2.3"}]}}})";
  }

  http::Response ask(const std::string& method, const std::string& target, const std::string& body = "",
                     const std::string& tenant = "acme.example") {
    testing::Ask request;
    request.method = method;
    request.target = "/api.ashx/v1/" + target;
    request.body = body;
    request.tenant = tenant;
    return host.ask(request);
  }
  // "200 <body>"
  std::string text(const std::string& method, const std::string& target, const std::string& body = "",
                   const std::string& tenant = "acme.example") {
    const http::Response response = ask(method, target, body, tenant);
    return std::to_string(response.status) + " " + response.body;
  }
  // The status and the error's code: "404 not_found".
  std::string refusal(const std::string& method, const std::string& target, const std::string& body = "",
                      const std::string& tenant = "acme.example") {
    const http::Response response = ask(method, target, body, tenant);
    const auto json = host.host().parse_json(response.body);
    return std::to_string(response.status) + " " +
           (json ? std::string(json->root().text("error", "")) : response.body);
  }
  // The numbers of a list in order: "+49* global".
  std::string order(const std::string& list, const std::string& member,
                    const std::string& tenant = "acme.example") {
    const auto json = host.host().parse_json(ask("GET", list, "", tenant).body);
    REQUIRE(json);
    std::string all;
    const JsonView data = (*json)["data"];
    for (size_t i = 0; i < data.size(); ++i)
      all += (i == 0 ? "" : " ") + std::string(data.at(i).text(member, ""));
    return all;
  }
  // Adds a row as another process on the same database would.
  void add_elsewhere(const std::string& domain, const std::string& number, const std::string& caller,
                     const std::string& target, int64_t place, int64_t dup_no = 0) {
    REQUIRE(
        host.sql("INSERT INTO sip_trunk_route_rev (tenant, domain, rev) VALUES ('acme.example', $1, 1) "
                 "ON CONFLICT (tenant, domain) DO UPDATE SET rev = sip_trunk_route_rev.rev + 1",
                 {domain}));
    REQUIRE(
        host.sql("INSERT INTO sip_trunk_route (tenant, domain, id, place, number, caller, target, "
                 "number_key, caller_key, dup_no) "
                 "VALUES ('acme.example', $1, $2, $3, $4, $5, $6, $4, $5, $7)",
                 {domain, "row-" + std::to_string(place), place, number, caller, target, dup_no}));
  }

  testing::FakeHost host;
  testing::FakeAudit audit;
};

}  // namespace patchbay::test
