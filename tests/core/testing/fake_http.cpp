// What passes in the fake patchbay.http passes in the server, because both ask http_rules.h.
#include <doctest/doctest.h>
#include <patchbay/services/http_routes.h>
#include <patchbay/testing/fake_http.h>

#include <string>

using namespace patchbay;
using testing::why;

namespace {

http::Route route(const char* method, const char* path) {
  http::Route made;
  made.method = method;
  made.path = path;
  made.role = "none";
  return made;
}

struct Fixture : testing::TestEnvironment {
  testing::FakeHttp http{*this};
};

std::string added(Fixture& host, http::Route made) {
  return why(host.call<http::Http>(http::Http::add_route, std::move(made)));
}

}  // namespace

TEST_CASE("routes that the server refuses are refused") {
  Fixture host;
  CHECK(added(host, route("GET", "/x/*")).find("fixed segments are plain text") != std::string::npos);
  CHECK(added(host, route("FOO", "/foo")).find("there is no method 'FOO'") != std::string::npos);
  CHECK(added(host, route("GET", "/a//b")).find("a segment is empty") != std::string::npos);
  CHECK(added(host, route("GET", "/{id}/{id}")).find("named twice") != std::string::npos);
  CHECK(added(host, route("GET", "/x{id}")).find("whole segment") != std::string::npos);
}

TEST_CASE("routes that differ only in the names of their parameters, or in their surface, are the same") {
  Fixture host;
  auto& handler = host.make<Provision<http::Handler>>(host.host());
  const auto with_handler = [&](http::Route made) {
    made.handler = host.run([&] { return handler.handle(); });
    return made;
  };
  CHECK(added(host, with_handler(route("GET", "/raw/{id}"))) == "");
  CHECK(added(host, with_handler(route("GET", "/raw/{name}"))).find("is there already") != std::string::npos);
  http::Route local = with_handler(route("GET", "/raw/{id}"));
  local.surface = "local";
  CHECK(added(host, local).find("is there already") != std::string::npos);
}

TEST_CASE("an answer that cannot be sent is 500, and the log says why") {
  Fixture host;
  auto& routes = host.make<http::Routes>(host.host());
  host.run([&] {
    routes.add(route("GET", "/split"), [](const http::Request&) -> Result<http::Response> {
      http::Response response = http::ok("{}");
      response.headers = R"({"Location":"/x\r\nSet-Cookie: a=b"})";
      return response;
    });
    routes.add(route("GET", "/status"), [](const http::Request&) -> Result<http::Response> {
      http::Response response = http::ok("{}");
      response.status = 99;
      return response;
    });
    routes.open();
  });
  REQUIRE(host.settle());
  for (const char* path : {"/split", "/status"}) {
    const auto answer = host.http.ask({"GET", path});
    CHECK(answer.status == 500);
    CHECK(answer.headers.empty());
  }
  CHECK(host.logged("an answer could not be sent"));
}
