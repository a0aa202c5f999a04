// GET /api.ashx/v1/admin/audit, of a server with a plugin whose routes change doors.
#include <patchbay/plugin.h>
#include <patchbay/services/audit.h>
#include <patchbay/services/http_routes.h>
#include <patchbay/utc.h>

#include <memory>
#include <vector>

#include "json/parse.h"
#include "plugins/rest-api/api/api_server.h"
#include "runtime/manual_clock.h"
#include "support/linked_plugin.h"

using namespace rest_api_test;
using namespace patchbay;

namespace {

class DoorPlugin final : public Plugin {
 public:
  static constexpr char manifest[] =
      R"({"id": "doors", "version": "0.1.0", "summary": "Doors", "license": "Apache-2.0",
          "optional": ["patchbay.http/1", "patchbay.audit/1"],
          "config": {"plugin": {"type": "object", "properties": {}}}})";
  static constexpr char store_sql[] = R"(
-- migration: 1
CREATE TABLE doors_door (tenant TEXT NOT NULL, name TEXT NOT NULL, PRIMARY KEY (tenant, name));
-- name: add
INSERT INTO doors_door (tenant, name) VALUES ($1, $2) ON CONFLICT (tenant, name) DO NOTHING;
)";

  Status start(const Config&) override {
    add_ = Statement::find(host(), "add");
    trail_ = std::make_unique<audit::Trail>(host());
    routes_ = std::make_unique<http::Routes>(host());
    http::Route route;
    route.method = "PUT";
    route.path = "/t/doors/{name}";
    route.area = "test";
    route.summary = "Adds a door";
    routes_->add(route, [this](const http::Request& request, Reply<http::Response> reply) {
      add(request, std::move(reply));
    });
    route.path = "/t/server/{name}";
    routes_->add(route, [this](http::Request request, Reply<http::Response> reply) {
      request.tenant.clear();
      add(request, std::move(reply));
    });
    routes_->open();
    return {};
  }
  Status check_config(const Config&) override { return {}; }
  void stop(Done done) override {
    routes_.reset();
    trail_.reset();
    done();
  }

 private:
  // 409 for a door that is there.
  void add(const http::Request& request, Reply<http::Response> reply) {
    const std::string name(request.params.text("name"));
    Transaction tx(host());
    tx.exec(add_, {request.tenant, name}, 1);
    const std::string after = JsonWriter().object().member("name", name).end().str();
    trail_->commit(std::move(tx), audit::record_of(request, "door.added", name, "", after),
                   [reply = std::move(reply)](const Commit& done) mutable {
                     reply(done ? http::ok("{}") : http::error(409, "conflict", "the door is there"));
                   });
  }

  Statement add_;
  std::unique_ptr<audit::Trail> trail_;
  std::unique_ptr<http::Routes> routes_;
};

constexpr char kWithDoors[] = R"(
plugins:
  rest-api: {listen: "127.0.0.1:0", threads: 1}
  fake-auth: {}
  doors: {}
tenants:
  a.example: {primary: true}
  b.example: {}
)";
constexpr char kPath[] = "/api.ashx/v1/admin/audit";

struct DoorServer {
  core::ManualClock clock;
  test::TestServer core{kWithDoors, &clock, {fake_auth(), &test::LinkedPlugin<DoorPlugin>::entry}};
  HttpClient http{""}, admin{""};

  DoorServer() {
    REQUIRE(core.start_error() == "");
    http = HttpClient::of(core);
    admin = HttpClient::of(core, "admin");
    REQUIRE(http.wait_for("PUT", "/t/server/x"));
    REQUIRE(http.wait_for("GET", kPath));
  }
  HttpAnswer as(const std::string& bearer, const std::string& method, const std::string& target) const {
    return http.ask(method, target, {}, {"Authorization: Bearer " + bearer});
  }
  // The objects of a list, separated by blanks, and total.
  std::string objects(const std::string& bearer, const std::string& query = "") const {
    const auto answer = as(bearer, "GET", kPath + query);
    const auto doc = core::json::parse(answer.body);
    if (answer.status != 200 || !doc) return std::to_string(answer.status) + " " + answer.body;
    std::string all;
    const auto* data = doc->root().find("data");
    for (uint32_t i = 0; i < data->size(); ++i)
      all += std::string(data->element(i)->find("object")->string()) + " ";
    return all + "of " + std::to_string(doc->root().find("total")->integer());
  }
};

}  // namespace

TEST_CASE("a change is listed with who made it, from where, and the values before and after") {
  const DoorServer server;
  CHECK(server.as("admin-a", "PUT", "/t/doors/front").status == 200);
  const auto answer = server.as("admin-a", "GET", kPath);
  CHECK(answer.status == 200);
  for (const char* part :
       {R"("tenant":"a.example","actor":"alice","remote":"127.0.0.1","action":"door.added","object":"front")",
        R"("before":null,"after":{"name":"front"},"correlation":")", R"("timeUtc":"2)", R"("total":1,)"}) {
    CAPTURE(part);
    CHECK(has(answer.body, part));
  }
}

TEST_CASE("a change that was not made is not listed") {
  const DoorServer server;
  CHECK(server.as("admin-a", "PUT", "/t/doors/front").status == 200);
  CHECK(server.as("admin-a", "PUT", "/t/doors/front").status == 409);
  CHECK(server.objects("admin-a") == "front of 1");
}

TEST_CASE("changes over the admin socket are the operator's, and those with a key the key's") {
  const DoorServer server;
  CHECK(server.admin.ask("PUT", "/t/doors/one").status == 200);
  CHECK(server.as("key-a", "PUT", "/t/doors/two").status == 200);
  CHECK(server.objects("admin-a", "?actor=operator") == "one of 1");
  CHECK(server.objects("admin-a", "?actor=key:ci") == "two of 1");
}

TEST_CASE("an admin sees the changes of the own tenant, a super-admin those of any and the server's") {
  const DoorServer server;
  CHECK(server.as("admin-a", "PUT", "/t/doors/a").status == 200);
  CHECK(server.as("admin-b", "PUT", "/t/doors/b").status == 200);
  CHECK(server.as("super", "PUT", "/t/server/s").status == 200);
  CHECK(server.objects("admin-a") == "a of 1");
  CHECK(server.objects("admin-b") == "b of 1");
  CHECK(server.objects("super", "?tenant=b.example") == "b of 1");
  CHECK(server.objects("super", "?scope=server") == "s of 1");
  CHECK(server.as("admin-a", "GET", std::string(kPath) + "?scope=server").status == 403);
  CHECK(server.as("admin-a", "GET", std::string(kPath) + "?tenant=b.example").status == 403);
  CHECK(server.as("user-a", "GET", kPath).status == 403);
  CHECK(server.http.get(kPath).status == 401);
}

TEST_CASE("the pages of changes follow each other without a gap while changes are added") {
  DoorServer server;
  for (const char* name : {"a", "b", "c", "d", "e"}) {
    CHECK(server.as("admin-a", "PUT", std::string("/t/doors/") + name).status == 200);
    server.clock.advance(std::chrono::seconds(1));
  }
  std::string objects, target = "?limit=2&action=door.";
  for (int page = 0; page < 3; ++page) {
    objects += server.objects("admin-a", target) + ", ";
    const auto answer = server.as("admin-a", "GET", kPath + target);
    const auto doc = core::json::parse(answer.body);
    REQUIRE(doc.ok());
    const auto* next = doc->root().find("next");
    const std::string url(next->string());
    CHECK(url.empty() == (page == 2));
    if (url.empty()) break;
    CHECK(has(url, "&cursor="));
    target = url.substr(url.find('?'));
    CHECK(server.as("admin-a", "PUT", "/t/doors/new-" + std::to_string(page)).status == 200);
  }
  CHECK(objects == "e d of 5, c b of 6, a of 7, ");
  CHECK(server.as("admin-a", "GET", std::string(kPath) + "?cursor=x").status == 400);
  CHECK(server.objects("admin-a", "?cursor=000000000000000000000000") == "of 7");
}

TEST_CASE("changes are listed newest first, in pages, and by filters") {
  DoorServer server;
  for (const char* name : {"a", "b", "c"}) {
    CHECK(server.as("admin-a", "PUT", std::string("/t/doors/") + name).status == 200);
    server.clock.advance(std::chrono::hours(1));
  }
  CHECK(server.objects("admin-a") == "c b a of 3");
  CHECK(server.objects("admin-a", "?limit=1&offset=1") == "b of 3");
  CHECK(server.objects("admin-a", "?action=door.added") == "c b a of 3");
  CHECK(server.objects("admin-a", "?action=door.") == "c b a of 3");
  CHECK(server.objects("admin-a", "?action=window") == "of 0");
  CHECK(server.objects("admin-a", "?object=b") == "b of 1");
  CHECK(server.objects("admin-a", "?actor=bob") == "of 0");
  const std::string since = utc_text(server.clock.now_ms() - 5'400'000);  // between b and c
  CHECK(server.objects("admin-a", "?since=" + since) == "c of 1");
  CHECK(server.objects("admin-a", "?until=" + since) == "b a of 2");
  CHECK(has(server.as("admin-a", "GET", std::string(kPath) + "?since=yesterday").body,
            "since must be a time such as"));
}
