#include <filesystem>
#include <set>

#include "api_server.h"
#include "json/parse.h"
#include "json/writer.h"

using namespace rest_api_test;
using patchbay::core::json::Document;
using patchbay::core::json::Node;
using patchbay::core::json::Type;

namespace {

Document parsed(const std::string& text) {
  auto document = patchbay::core::json::parse(text);
  if (!document) FAIL(document.error().text);
  return *std::move(document);
}

// "get /t/open"
std::set<std::string> operations(const Node& document) {
  std::set<std::string> all;
  const Node* paths = document.find("paths");
  REQUIRE(paths);
  for (uint32_t i = 0; i < paths->size(); ++i) {
    const auto& path = *paths->member(i);
    for (uint32_t n = 0; n < path.value.size(); ++n)
      all.insert(std::string(path.value.member(n)->key) + " " + std::string(path.key));
  }
  return all;
}

}  // namespace

TEST_CASE("the OpenAPI document lists exactly the public routes") {
  const ApiServer server;
  REQUIRE(server.http.wait_for("GET", "/t/short-lived"));
  const auto answer = server.http.get("/openapi.json");
  CHECK(answer.status == 200);
  CHECK(server.http.get("/.well-known/openapi.json").body == answer.body);
  const Document document = parsed(answer.body);
  CHECK(document.root().find("openapi")->string() == "3.1.0");
  const std::set<std::string> expected = {"delete /t/open",        "get /.well-known/openapi.json",
                                          "get /api.ashx/v1",      "get /api.ashx/v1/admin/audit",
                                          "get /openapi.json",     "get /t/admin",
                                          "get /t/bad-headers",    "get /t/choice",
                                          "get /t/drops",          "get /t/exhausted",
                                          "get /t/fails",          "get /t/file",
                                          "get /t/items/{id}",     "get /t/last",
                                          "get /t/list",           "get /t/short-lived",
                                          "get /t/no-keys",        "get /t/odd-status",
                                          "get /t/open",           "get /t/picture",
                                          "get /t/split-header",   "get /t/super",
                                          "get /t/secret/{token}", "get /t/teapot",
                                          "get /t/throws",         "get /t/timeout",
                                          "get /t/unavailable",    "get /t/user",
                                          "get /t/wait",           "post /t/checked",
                                          "post /t/large",         "post /t/messages",
                                          "post /t/raw",           "post /t/small",
                                          "post /t/wait",          "put /t/items/{id}"};
  const std::set<std::string> listed = operations(document.root());
  for (const std::string& one : listed) CHECK_MESSAGE(expected.count(one) == 1, one);
  for (const std::string& one : expected) CHECK_MESSAGE(listed.count(one) == 1, one);
}

TEST_CASE("an operation describes parameters, body, responses and role") {
  const ApiServer server;
  const Document document = parsed(server.http.get("/openapi.json").body);
  const auto text = [&](std::initializer_list<const char*> path) {
    const Node* node = &document.root();
    for (const char* name : path) node = node == nullptr ? nullptr : node->find(name);
    return node == nullptr                ? std::string("absent")
           : node->type() == Type::string ? std::string(node->string())
                                          : "there";
  };
  CHECK(text({"paths", "/t/checked", "post", "x-role"}) == "admin");
  const char* json = "application/json";
  CHECK(text({"paths", "/t/checked", "post", "requestBody", "content", json, "schema", "properties",
              "retries", "x-snap"}) == "there");
  CHECK(text({"paths", "/t/checked", "post", "requestBody", "content", json, "examples", "example", "value",
              "phone"}) == "+49");
  CHECK(text({"paths", "/t/checked", "post", "responses", "400", "$ref"}) ==
        "#/components/responses/BadRequest");
  CHECK(text({"paths", "/t/messages", "post", "responses", "401", "$ref"}) ==
        "#/components/responses/MessageUnauthorized");
  CHECK(text({"components", "responses", "MessageUnauthorized"}) == "there");
  // null for an optional member means left out.
  const Node* body = document.root().find("paths")->find("/t/checked")->find("post")->find("requestBody");
  const Node* members = body->find("content")->find(json)->find("schema")->find("properties");
  CHECK(patchbay::core::json::write(*members->find("retries")->find("type")) == R"(["integer","null"])");
  CHECK(patchbay::core::json::write(*members->find("phone")->find("type")) == R"("string")");
  CHECK(text({"paths", "/t/open", "get", "responses", "401"}) == "absent");
  CHECK(text({"paths", "/t/list", "get", "responses", "200", "content", json, "schema", "properties", "data",
              "items", "properties", "n", "type"}) == "integer");
  CHECK(text({"paths", "/t/list", "get", "responses", "200", "content", json, "schema", "properties",
              "tenant", "type"}) == "string");
}

TEST_CASE("the service root enumerates the endpoints") {
  const ApiServer server;
  const auto answer = server.http.get("/api.ashx/v1");
  CHECK(answer.status == 200);
  const Document document = parsed(answer.body);
  const Node& root = document.root();
  for (const char* name : {"name", "version", "build", "auth", "pagination", "errors"}) {
    CAPTURE(name);
    REQUIRE(root.find(name));
    CHECK(root.find(name)->type() == Type::string);
  }
  CHECK(root.find("version")->string() == "v1");
  CHECK(root.find("build")->string().substr(0, 2) == "0.");
  // A build of a checkout names the commit; one of a package has none.
  CHECK(has(std::string(root.find("build")->string()), "+g") == std::filesystem::exists(TEST_TREE "/.git"));
  CHECK(root.find("endpoints")->size() > 20);
  CHECK(has(answer.body,
            R"({"method":"GET","path":"/t/admin","description":"A route of the test","area":"test"})"));
  CHECK(has(answer.body, R"("path":"/t/choice?verb=two")"));
  CHECK_FALSE(has(answer.body, "/t/hidden"));
}
