// The endpoints over HTTP, through rest-api.
#include <doctest/doctest.h>
#include <patchbay/hex.h>

#include "crypto/digest.h"
#include "support/http_client.h"
#include "support/test_server.h"

using namespace patchbay;
using test::HttpAnswer;
using test::HttpClient;

namespace {

constexpr char kConfig[] = R"(
plugins:
  rest-api: {listen: "127.0.0.1:0"}
  whitelist: {}
tenants:
  a.example: {primary: true, WebPhone: {AdminSharedSecret: "0123456789abcdef01234567"}}
  b.example: {}
)";

struct Server {
  test::TestServer core{kConfig};
  HttpClient http = HttpClient::of(core);
  Server() {
    REQUIRE(core.start_error() == "");
    REQUIRE(http.wait_for("POST", "/signal.ashx?whitelist=add"));
  }
  HttpAnswer signed_ask(const std::string& method, const std::string& verb, const std::string& body = "",
                        const std::string& host = "a.example", const std::string& query = "") const {
    std::string text = "whitelist-" + verb + "|a.example";
    if (method == "POST") text += "|" + std::to_string(body.size());
    return http.ask(method, "/signal.ashx?whitelist=" + verb + query, body,
                    {"Host: " + host, "X-Platform-Admin-Signature: " +
                                          to_hex(lib::hmac_sha256("0123456789abcdef01234567", text))});
  }
};

}  // namespace

TEST_CASE("signed requests under the tenant's host name read and change the whitelist") {
  const Server server;
  const HttpAnswer added = server.signed_ask("POST", "add", R"({"number":"+49 30 123456","comment":"Bär"})");
  CHECK(added.status == 200);
  CHECK(added.headers.at("cache-control") == "no-store");
  CHECK(server.signed_ask("GET", "list", "", "A.example:8080").body ==
        R"({"tenant":"a.example","numbers":[{"number":"+49 30 123456","comment":"Bär"}],"count":1})");
  CHECK(server.signed_ask("POST", "write", R"({"numbers":[]})").status == 400);
  CHECK(server.signed_ask("POST", "write", R"({"numbers":[]})", "a.example", "&confirmEmpty=1").status ==
        200);
}

TEST_CASE("405 comes before 503, 503 before 401, each with a message") {
  const Server server;
  const HttpAnswer wrong = server.http.get("/signal.ashx?whitelist=add", {"Host: b.example"});
  CHECK(wrong.status == 405);
  CHECK(wrong.headers.at("allow").find("POST") != std::string::npos);
  CHECK(wrong.body.substr(0, 10) == R"({"error":")");
  CHECK(wrong.body.find("error_description") == std::string::npos);
  CHECK(server.signed_ask("POST", "add", "x", "b.example").status == 503);
  CHECK(server.signed_ask("POST", "add", "x", "unknown.example").status == 503);
  const HttpAnswer refused = server.http.post("/signal.ashx?whitelist=add", "x", {"Host: a.example"});
  CHECK(refused.status == 401);
  CHECK(refused.body == R"({"error":"bad signature"})");
  CHECK(refused.headers.at("www-authenticate") == "Bearer");
}

TEST_CASE("the operator needs no signature at the admin socket") {
  const Server server;
  const HttpClient admin = HttpClient::of(server.core, "admin");
  CHECK(admin.post("/signal.ashx?whitelist=add", R"({"number":"112"})").status == 200);
  CHECK(admin.post("/signal.ashx?whitelist=add&tenant=b.example", R"({"number":"113"})").body ==
        R"({"ok":true,"tenant":"b.example","number":"113","comment":"","added":true,"count":1})");
}
