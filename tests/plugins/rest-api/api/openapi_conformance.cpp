// Requests every operation of /openapi.json from a server with all plugins that have routes, and checks that
// it answers as the document says.
#include <set>

#include "api_server.h"
#include "json/parse.h"

using namespace rest_api_test;
using patchbay::core::json::Document;
using patchbay::core::json::Node;

namespace {

constexpr char kAll[] = R"(
plugins:
  rest-api: {listen: "127.0.0.1:0", limits: {bodyBytes: 4096}}
  identity: {issuer: "https://a.example"}
  media: {}
  whitelist: {}
  numbers: {}
  webhooks: {}
  transcripts: {}
  ai-voice: {}
  engine-local: {}
  sip-trunk: {listenPort: 0}
tenants:
  a.example: {primary: true}
)";

struct Operation {
  std::string method;
  std::string path;
  const Node* node = nullptr;
  std::string name() const { return method + " " + path; }
};

std::string text_of(const Node* node) { return node != nullptr ? std::string(node->string()) : ""; }

std::vector<Operation> asked_operations(const Node& document) {
  std::vector<Operation> all;
  const Node* paths = document.find("paths");
  for (uint32_t i = 0; paths != nullptr && i < paths->size(); ++i) {
    const auto& path = *paths->member(i);
    for (uint32_t n = 0; n < path.value.size(); ++n) {
      const auto& member = *path.value.member(n);
      std::string method(member.key);
      for (char& c : method) c = static_cast<char>(c & ~0x20);
      all.push_back({method, std::string(path.key), &member.value});
    }
  }
  return all;
}

// The path with a value for each parameter, and the first value of each required query parameter.
std::string target_of(const Operation& operation) {
  std::string target = operation.path;
  for (size_t open = target.find('{'); open != std::string::npos; open = target.find('{'))
    target.replace(open, target.find('}') - open + 1, "nothing");
  const Node* parameters = operation.node->find("parameters");
  char mark = '?';
  for (uint32_t i = 0; parameters != nullptr && i < parameters->size(); ++i) {
    const Node& parameter = *parameters->element(i);
    const Node* values = parameter.find("schema")->find("enum");
    if (text_of(parameter.find("in")) != "query" || !parameter.find("required")->boolean()) continue;
    target += mark + text_of(parameter.find("name")) + "=" + text_of(values ? values->element(0) : nullptr);
    mark = '&';
  }
  return target;
}

bool promises(const Operation& operation, int status) {
  return operation.node->find("responses")->find(std::to_string(status)) != nullptr;
}

}  // namespace

TEST_CASE("every operation answers with a status that the OpenAPI document lists") {
  const patchbay::test::TestServer core(kAll);
  REQUIRE(core.start_error() == "");
  const auto http = HttpClient::of(core);
  const auto admin = HttpClient::of(core, "admin");
  REQUIRE(http.wait_for("POST", "/api.ashx/v1/calls"));
  const auto document = patchbay::core::json::parse(http.get("/openapi.json").body);
  REQUIRE(document);
  const auto all = asked_operations(document->root());
  CHECK(all.size() >= 20);
  const std::string host = "Host: a.example";
  for (const Operation& operation : all) {
    CAPTURE(operation.name());
    const std::string target = target_of(operation);
    const auto ask = [&](const std::string& body, const std::vector<std::string>& headers) {
      const auto answer = http.ask(operation.method, target, body, headers);
      CAPTURE(answer.status);
      CHECK(promises(operation, answer.status));
      return answer.status;
    };
    const int open = ask("", {host});
    const bool secured = operation.node->find("security")->size() > 0;
    CHECK((open == 401 || open == 503) == secured);
    ask("{}", {host, "Authorization: Bearer wrong"});
    if (!secured) ask("", {host, "Content-Encoding: gzip"});
    if (!secured) ask(std::string(5000, 'x'), {host});
    if (!secured) ask("", {host, "X-Odd: 1"});
    const char mark = target.find('?') == std::string::npos ? '?' : '&';
    for (const std::string& query : {std::string(), mark + std::string("tenant=nowhere.example")}) {
      const auto answer = admin.ask(operation.method, target + query, "{}");
      CAPTURE(answer.status);
      CHECK(promises(operation, answer.status));
    }
    CHECK(admin.ask(operation.method, target, std::string(5000, 'x')).status == 413);
    CHECK(promises(operation, 413));
  }
}

TEST_CASE("calls and whitelists may be as large as their limits, and forms may not") {
  std::string yaml = kAll;
  const std::string limits = ", limits: {bodyBytes: 4096}";
  yaml.erase(yaml.find(limits), limits.size());
  const patchbay::test::TestServer core(yaml);
  REQUIRE(core.start_error() == "");
  const auto http = HttpClient::of(core);
  const auto admin = HttpClient::of(core, "admin");
  REQUIRE(http.wait_for("POST", "/api.ashx/v1/calls"));
  std::string prompt;
  for (int i = 0; i < 100'000; ++i) prompt += "\u754c";
  const auto call = admin.post(
      "/api.ashx/v1/calls",
      R"({"phone": "+4930123456", "email": "a@a.example", "apiKey": "12345678", "systemPrompt": ")" + prompt +
          "\"}");
  CAPTURE(call.body);
  CHECK(call.status != 413);
  CHECK(call.status != 400);
  std::string numbers;
  for (int i = 0; i < 12'000; ++i)
    numbers += std::string(i == 0 ? "" : ",") + "{\"number\":\"+49301" + std::to_string(100'000 + i) + "\"}";
  const auto written = admin.post("/signal.ashx?whitelist=write", "{\"numbers\":[" + numbers + "]}");
  CHECK(written.status == 200);
  CHECK(has(written.body, "\"count\":12000"));
  CHECK(http.post("/oidc.ashx/token", std::string(17'000, 'x'), {"Host: a.example"}).status == 413);
}

TEST_CASE("every operation of the OpenAPI document has the schemas of its request and response") {
  const patchbay::test::TestServer core(kAll);
  REQUIRE(core.start_error() == "");
  const auto http = HttpClient::of(core);
  REQUIRE(http.wait_for("POST", "/api.ashx/v1/calls"));
  const auto document = patchbay::core::json::parse(http.get("/openapi.json").body);
  REQUIRE(document);
  const auto find = [](const Node* node, std::initializer_list<std::string_view> path) {
    for (const auto name : path) node = node == nullptr ? nullptr : node->find(name);
    return node;
  };
  std::set<std::string> schemes;
  for (const Operation& operation : asked_operations(document->root())) {
    CAPTURE(operation.name());
    const Node& responses = *operation.node->find("responses");
    for (uint32_t i = 0; i < responses.size(); ++i) {
      const auto& response = *responses.member(i);
      if (response.key.front() != '2' || response.key == "204") continue;
      const Node* schema = find(&response.value, {"content", "application/json", "schema"});
      const Node* page = find(&response.value, {"content", "text/html", "schema"});
      CHECK((schema != nullptr || page != nullptr));
      const Node* items = find(schema, {"properties", "data", "items"});
      if (items != nullptr) CHECK(items->size() > 0);
    }
    const Node* security = operation.node->find("security");
    for (uint32_t i = 0; i < security->size(); ++i)
      schemes.insert(std::string(security->element(i)->member(0)->key));
    if (const Node* body = operation.node->find("requestBody")) {
      const Node* content = body->find("content");
      CHECK(content->size() == 1);
      CHECK(content->member(0)->value.find("schema") != nullptr);
    }
  }
  for (const auto& scheme : schemes) {
    CAPTURE(scheme);
    CHECK(find(&document->root(), {"components", "securitySchemes", scheme}) != nullptr);
  }
  const auto there = [&](std::initializer_list<std::string_view> path) {
    return find(document->root().find("paths"), path) != nullptr;
  };
  CHECK(there({"/oidc.ashx/token", "post", "requestBody", "content", "application/x-www-form-urlencoded"}));
  CHECK(there({"/oidc.ashx/token", "post", "responses", "401"}));
  CHECK(there({"/oidc.ashx/authorize", "get", "responses", "200", "content", "text/html"}));
  CHECK(there({"/oidc.ashx/authorize", "get", "responses", "303"}));
  CHECK_FALSE(there({"/oidc.ashx/authorize", "get", "responses", "303", "content"}));
  CHECK(there({"/oidc.ashx/logout", "post", "requestBody", "content", "application/x-www-form-urlencoded"}));
  CHECK(there({"/api.ashx/v1/calls", "post", "responses", "409"}));
  CHECK(there({"/api.ashx/v1/calls", "post", "responses", "502"}));
  CHECK(there({"/api.ashx/v1/calls", "post", "responses", "200", "headers", "Idempotent-Replayed"}));
  CHECK(there({"/api.ashx/v1/admin/keys", "post", "responses", "201"}));
  CHECK(there({"/api.ashx/v1/admin/webhooks/{id}", "patch", "responses", "409"}));
  CHECK(schemes == std::set<std::string>{"adminSignature", "bearer", "oidc"});
  const Node* rotate = find(document->root().find("paths"),
                            {"/api.ashx/v1/admin/webhooks/{id}/rotate", "post", "requestBody", "required"});
  REQUIRE(rotate);
  CHECK_FALSE(rotate->boolean());
}
