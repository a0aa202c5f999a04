#include <doctest/doctest.h>

#include "example.h"
#include "support/http_client.h"
#include "support/test_server.h"

using namespace patchbay;
using test::HttpClient;

namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("notes are a REST resource, listed in the service root and in the OpenAPI document") {
  test::TestServer server(R"(plugins:
  rest-api: {listen: "127.0.0.1:0"}
  notes: {}
tenants:
  localhost: {primary: true}
)",
                          nullptr, {test::example("notes")});
  REQUIRE(server.start_error() == "");
  const HttpClient http = HttpClient::of(server);
  const HttpClient admin = HttpClient::of(server, "admin");
  REQUIRE(http.wait_for("GET", "/api.ashx/v1/notes"));

  const std::string documents = http.get("/openapi.json").body;
  CHECK(has(documents, "/api.ashx/v1/notes"));
  CHECK(has(documents, "Text of the note"));
  CHECK(has(http.get("/api.ashx/v1").body, "/api.ashx/v1/notes"));

  const std::string path = "/api.ashx/v1/notes?tenant=localhost";
  CHECK(http.get("/api.ashx/v1/notes").status >= 400);  // no bearer is valid without identity
  CHECK(admin.post(path, R"({"text":""})").status == 400);
  const auto first = admin.post(path, R"({"text":"Call back"})");
  CHECK(first.status == 200);
  CHECK(has(first.body, R"({"id":1,"text":"Call back","createdMs":)"));
  CHECK(admin.post(path, R"({"text":"Buy \"tea\""})").status == 200);

  const auto list = admin.get(path + "&limit=1");
  CHECK(list.status == 200);
  CHECK(has(list.body, R"("text":"Buy \"tea\"")"));
  CHECK(has(list.body, R"("total":2)"));
  CHECK(admin.ask("DELETE", "/api.ashx/v1/notes/1?tenant=localhost").status == 200);
  CHECK(admin.ask("DELETE", "/api.ashx/v1/notes/1?tenant=localhost").status == 404);
  CHECK(has(admin.get(path).body, R"("total":1)"));

  server.restart();
  REQUIRE(server.start_error() == "");
  const HttpClient again = HttpClient::of(server, "admin");
  CHECK(test::eventually([&] { return has(again.get(path).body, R"(Buy \"tea\")"); }));
}
