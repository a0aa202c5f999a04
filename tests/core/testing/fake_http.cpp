// What passes in the fake patchbay.http passes in the server, because both ask http_rules.h.
#include <doctest/doctest.h>
#include <patchbay/services/http_file.h>
#include <patchbay/services/http_routes.h>
#include <patchbay/testing/fake_http.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
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

TEST_CASE("routes that differ only in the names of their parameters, or in their listener, are the same") {
  Fixture host;
  auto& handler = host.make<Provision<http::Handler>>(host.host());
  const auto with_handler = [&](http::Route made) {
    made.handler = host.run([&] { return handler.handle(); });
    return made;
  };
  CHECK(added(host, with_handler(route("GET", "/raw/{id}"))) == "");
  CHECK(added(host, with_handler(route("GET", "/raw/{name}"))).find("is there already") != std::string::npos);
  http::Route local = with_handler(route("GET", "/raw/{id}"));
  local.listener = "local";
  CHECK(added(host, local).find("is there already") != std::string::npos);
}

TEST_CASE("an answer that cannot be sent is 500, and the log says why") {
  Fixture host;
  auto& routes = host.make<http::Routes>(host.host());
  host.run([&] {
    routes.add(route("GET", "/split"), [](const http::Request&) -> Result<http::Response> {
      http::Response response = http::ok("{}");
      response.headers.add("Location", "/x\r\nSet-Cookie: a=b");
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

TEST_CASE("a body is parsed once, by the route's schema, before the handler has it") {
  Fixture host;
  auto& routes = host.make<http::Routes>(host.host());
  host.run([&] {
    http::Route checked = route("POST", "/notes");
    checked.request_schema =
        R"({"type": "object", "required": ["text"], "properties": {"text": {"type": "string"},
            "pinned": {"type": "boolean", "default": false}}})";
    const auto answer = [](const http::Request& request) -> Result<http::Response> {
      const http::Request copy = request;  // shares the parsed body
      return http::ok(std::string(copy.json()["text"].text()) +
                      (copy.json()["pinned"].is_null() ? " lacks a default" : ""));
    };
    routes.add(checked, answer);
    checked.path = "/messages";
    checked.message_errors = true;
    routes.add(checked, answer);
    routes.add(route("POST", "/raw"), [](const http::Request& request) -> Result<http::Response> {
      return http::ok(request.json() ? "parsed" : std::string(request.body.view()));
    });
    routes.open();
  });
  REQUIRE(host.settle());
  CHECK(host.http.ask({"POST", "/notes", R"({"Text": "hello", "more": 1})"}).body == "hello");
  const auto wrong = host.http.ask({"POST", "/notes", R"({"text": 7})"});
  CHECK(wrong.status == 400);
  CHECK(wrong.body == R"({"error":"invalid_request","error_description":"text must be a string"})");
  CHECK(host.http.ask({"POST", "/notes"}).status == 400);
  CHECK(host.http.ask({"POST", "/messages", "[]"}).body.find(R"({"error":")") == 0);
  CHECK(host.http.ask({"POST", "/raw", "[1"}).body == "[1");
  const std::string large = R"({"text": ")" + std::string(100'000, 'x') + R"("})";  // a worker parses it
  CHECK(host.http.ask({"POST", "/notes", large}).body.size() == 100'000);
}

TEST_CASE("headers, parameters and query come as they are, without JSON") {
  Fixture host;
  auto& routes = host.make<http::Routes>(host.host());
  host.run([&] {
    http::Route typed = route("GET", "/calls/{id}");
    typed.query_schema = R"({"type": "object", "properties": {"days": {"type": "integer", "default": 7},
                             "deep": {"type": "boolean"}}})";
    routes.add(typed, [](const http::Request& request) -> Result<http::Response> {
      http::Response response = http::ok(
          std::string(request.params.text("id")) + " " + std::to_string(request.query.integer("days")) + " " +
          (request.query.boolean("deep") ? "deep " : "") + std::string(request.headers.text("x-note")));
      response.headers.add("X-Seen", "yes");
      return response;
    });
    routes.open();
  });
  REQUIRE(host.settle());
  testing::Ask ask{"GET", "/calls/a%2Fb?deep=true"};
  ask.headers = {{"x-note", "\"quoted\""}};
  const auto answer = host.http.ask(ask);
  CHECK(answer.body == "a/b 7 deep \"quoted\"");
  CHECK(answer.headers.text("X-Seen") == "yes");
  CHECK(host.http.ask({"GET", "/calls/1?days=30"}).body == "1 30 ");
}

TEST_CASE("an answer is a file, or bytes of a declared type") {
  Fixture host;
  char path[] = "/tmp/patchbay-file-XXXXXX";
  const int fd = ::mkstemp(path);
  REQUIRE(fd >= 0);
  const std::string content("\x89PNG\0\xff", 6);
  REQUIRE(::write(fd, content.data(), content.size()) == 6);
  ::close(fd);
  auto& routes = host.make<http::Routes>(host.host());
  host.run([&] {
    routes.add(route("GET", "/picture"),
               [file = std::string(path)](const http::Request&) { return http::file(file, "image/png"); });
    routes.open();
  });
  REQUIRE(host.settle());
  const auto answer = host.http.ask({"GET", "/picture"});
  CHECK(answer.status == 200);
  CHECK(answer.content_type == "image/png");
  CHECK(answer.bytes.view() == content);

  CHECK(http::file(path, "image/png", 5).error().code == Code::exhausted);
  CHECK(http::file("/tmp", "image/png").error().code == Code::not_found);
  CHECK(http::file("/nowhere/at-all", "image/png").error().code == Code::not_found);
  std::remove(path);
}

TEST_CASE("a handler's error is the status that the server gives for it") {
  Fixture host;
  auto& routes = host.make<http::Routes>(host.host());
  host.run([&] {
    for (const Code code : {Code::unavailable, Code::gone, Code::exhausted, Code::timeout, Code::failed})
      routes.add(route("GET", ("/" + std::to_string(static_cast<int>(code))).c_str()),
                 [code](const http::Request&) -> Result<http::Response> {
                   return {code, "a detail for the log"};
                 });
    routes.open();
  });
  REQUIRE(host.settle());
  const auto status_of = [&](Code code) {
    const auto answer = host.http.ask({"GET", "/" + std::to_string(static_cast<int>(code))});
    CHECK(answer.body.find("a detail") == std::string::npos);
    return answer.status;
  };
  for (const Code code : {Code::unavailable, Code::gone, Code::exhausted, Code::timeout})
    CHECK(status_of(code) == 503);
  CHECK(status_of(Code::failed) == 500);
}

TEST_CASE("a handler can tell HEAD from GET, and HEAD gets no body") {
  Fixture host;
  auto& routes = host.make<http::Routes>(host.host());
  host.run([&] {
    routes.add(route("GET", "/page"), [](const http::Request& request) -> Result<http::Response> {
      http::Response response = http::ok("{}");
      response.headers.add("X-Method", request.method + (request.is_head ? " head" : ""));
      return response;
    });
    routes.open();
  });
  REQUIRE(host.settle());
  const auto head = host.http.ask({"HEAD", "/page"});
  CHECK(head.headers.text("X-Method") == "GET head");
  CHECK(head.body == "");
  const auto page = host.http.ask({"GET", "/page"});
  CHECK(page.headers.text("X-Method") == "GET");
  CHECK(page.body == "{}");
}
