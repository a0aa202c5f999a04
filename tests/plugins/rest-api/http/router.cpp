#include "http/router.h"

#include <doctest/doctest.h>

#include "http_server_fixture.h"

using namespace rest_api_test;

namespace {

RouteMatch resolve(Router& router, Method method, std::string_view path, const StringPairs& query = {},
                   bool upgrade = false) {
  return router.resolve({method, path, &query, upgrade});
}

}  // namespace

TEST_CASE("router - fixed segments come before parameters, and parameters stay raw") {
  auto router = *Router::create({{1, Method::get, "/a/{x}", {}, kPublic, false},
                                 {2, Method::get, "/a/b", {}, kPublic, false},
                                 {3, Method::get, "/a/{y}/c", {}, kPublic, false},
                                 {4, Method::post, "/a/{z}", {}, kPublic, false},
                                 {5, Method::get, "/", {}, kPublic, false}},
                                kPublic);
  CHECK(resolve(*router, Method::get, "/a/b").route->id == 2);
  CHECK(resolve(*router, Method::get, "/a/b/c").route->id == 3);
  CHECK(resolve(*router, Method::get, "/").route->id == 5);
  const auto match = resolve(*router, Method::get, "/a/%2F%2a+49");
  REQUIRE(match.route != nullptr);
  CHECK(match.params.at(0).first == "x");
  CHECK(match.params.at(0).second == "%2F%2a+49");
  CHECK(resolve(*router, Method::post, "/a/b").route->id == 4);
  CHECK(resolve(*router, Method::head, "/a/b").route->id == 2);
}

TEST_CASE("router - an unknown path is 404, a wrong method gets the list of methods") {
  auto router = *Router::create({{1, Method::get, "/a/{x}", {}, kPublic, false},
                                 {2, Method::del, "/a/{x}", {}, kPublic, false},
                                 {3, Method::post, "/b", {}, kPublic, false}},
                                kPublic);
  CHECK(resolve(*router, Method::put, "/a/1").allow == "GET, HEAD, DELETE, OPTIONS");
  CHECK(resolve(*router, Method::other, "/b").allow == "POST, OPTIONS");
  CHECK(resolve(*router, Method::head, "/b").allow == "POST, OPTIONS");
  for (const auto* path :
       {"/a", "/a//1", "//a/1", "/a/1/2", "/A/1", "/c", "/a/../b", "/a/.", "/%61/1", "/a/:p0/x"}) {
    CAPTURE(path);
    const auto miss = resolve(*router, Method::get, path);
    CHECK(miss.route == nullptr);
    CHECK(miss.allow.empty());
  }
}

TEST_CASE("router - discriminators distinguish routes of one path") {
  auto router = *Router::create(standard_routes(), kPublic);
  CHECK(resolve(*router, Method::get, "/signal.ashx", {{"whitelist", "list"}}).route->id == kList);
  CHECK(resolve(*router, Method::post, "/signal.ashx", {{"x", "y"}, {"whitelist", "add"}}).route->id == kAdd);
  CHECK(resolve(*router, Method::get, "/signal.ashx", {}, true).route->id == kSocket);
  const auto wrong_method = resolve(*router, Method::post, "/signal.ashx", {{"whitelist", "list"}});
  CHECK(wrong_method.route == nullptr);
  CHECK(wrong_method.allow == "GET, HEAD, OPTIONS");
  CHECK(resolve(*router, Method::get, "/signal.ashx").route == nullptr);
  CHECK(resolve(*router, Method::get, "/signal.ashx").allow.empty());
  CHECK(resolve(*router, Method::get, "/signal.ashx", {{"whitelist", "erase"}}).allow.empty());
}

TEST_CASE("router - a route that lacks only its query parameter is found, with the parameter's name") {
  auto router = *Router::create({{1, Method::get, "/routes", {}, kPublic},
                                 {2, Method::del, "/routes", Discriminator{"match", ""}, kPublic},
                                 {3, Method::put, "/routes/{x}", Discriminator{"did", ""}, kPublic},
                                 {4, Method::put, "/routes/{x}", Discriminator{"verb", "a"}, kPublic},
                                 {5, Method::post, "/routes", Discriminator{"verb", "a"}, kPublic}},
                                kPublic);
  CHECK(resolve(*router, Method::del, "/routes", {{"match", "1"}}).missing.empty());
  const auto lacks = resolve(*router, Method::del, "/routes", {{"mach", "1"}});
  REQUIRE(lacks.route != nullptr);
  CHECK(lacks.route->id == 2);
  CHECK(lacks.missing == "match");
  const auto item = resolve(*router, Method::put, "/routes/7");
  REQUIRE(item.route != nullptr);
  CHECK(item.missing == "did");
  CHECK(item.params.at(0).second == "7");
  CHECK(resolve(*router, Method::post, "/routes").route == nullptr);
  CHECK(resolve(*router, Method::patch, "/routes").allow == "GET, HEAD, OPTIONS");
}

TEST_CASE("router - the error of an invalid table names the route") {
  const auto refuse = [](const char* path) {
    const auto result = Router::create({{1, Method::get, path, {}, kPublic, false}}, kPublic);
    CAPTURE(path);
    REQUIRE(!result.ok());
    CHECK(result.error().text.find(path) != std::string::npos);
  };
  for (const auto* path : {"a", "/a//b", "/a/{x}y", "/a/{", "/:a", "/a*", "/a b", "/{}"}) refuse(path);
  const auto twice = Router::create(
      {{1, Method::get, "/a/{x}", {}, kPublic, false}, {2, Method::get, "/a/{y}", {}, kPublic, false}},
      kPublic);
  REQUIRE(!twice.ok());
  CHECK(twice.error().code == patchbay::Code::conflict);
}

TEST_CASE("router - two routes have one key exactly if a table refuses them together") {
  const RouteTable routes = {{1, Method::get, "/a/{x}", {}, kPublic},
                             {2, Method::get, "/a/{y}", {}, kPublic},
                             {3, Method::get, "/a/{y}/", {}, kPublic},
                             {4, Method::get, "/a/x", {}, kPublic},
                             {5, Method::post, "/a/{x}", {}, kPublic},
                             {6, Method::get, "/a/{x}", {}, kPublic, true},
                             {7, Method::get, "/a/{x}", Discriminator{"k", ""}, kPublic},
                             {8, Method::get, "/a/{x}", Discriminator{"k", "v"}, kPublic},
                             {9, Method::get, "/a/{z}", Discriminator{"k", "v"}, kPublic},
                             {10, Method::get, "/a/{x}", Discriminator{"k", "v"}, kPublic, true}};
  int same = 0;
  for (const Route& one : routes) {
    for (const Route& other : routes) {
      if (one.id >= other.id) continue;
      CAPTURE(one.id);
      CAPTURE(other.id);
      const bool equal = *route_key(one) == *route_key(other);
      CHECK(Router::create({one, other}, kPublic).ok() == !equal);
      same += equal ? 1 : 0;
    }
  }
  CHECK(same == 4);  // 1, 2 and 3, and 8 and 9
  CHECK_FALSE(route_key({1, Method::get, "a", {}, kPublic}).ok());
  CHECK_FALSE(route_key({1, Method::other, "/a", {}, kPublic}).ok());
}

TEST_CASE("router - a request without a route is answered 404, 405 or 204") {
  auto router = *Router::create(standard_routes(), kPublic);
  const auto unknown = unrouted_response(Method::get, resolve(*router, Method::get, "/x"));
  CHECK(unknown.status == 404);
  CHECK(unknown.body.find("there is nothing at this path") != std::string::npos);
  const auto needs_query = unrouted_response(Method::get, resolve(*router, Method::get, "/signal.ashx"));
  CHECK(needs_query.status == 404);
  CHECK(needs_query.body.find("this path needs one of ?whitelist=list") != std::string::npos);
  const auto refused = unrouted_response(Method::put, resolve(*router, Method::put, "/v1/calls/1"));
  CHECK(refused.status == 405);
  CHECK(refused.headers == StringPairs{{"Allow", "GET, HEAD, OPTIONS"}});
  CHECK(refused.body.find(R"("error":"method_not_allowed")") != std::string::npos);
  const auto options = unrouted_response(Method::options, resolve(*router, Method::options, "/v1/calls/1"));
  CHECK(options.status == 204);
  CHECK(options.headers == StringPairs{{"Allow", "GET, HEAD, OPTIONS"}});
  CHECK(resolve(*router, Method::options, "*").allow == "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS");
}

TEST_CASE("router - the 405 of a path has the error body of its routes") {
  RouteTable table{{1, Method::get, "/a", {}, kPublic, false}};
  table[0].message_errors = true;
  auto router = *Router::create(table, kPublic);
  const auto refused = unrouted_response(Method::post, resolve(*router, Method::post, "/a"));
  CHECK(refused.body == R"({"error":"this path allows GET, HEAD, OPTIONS"})");
}
