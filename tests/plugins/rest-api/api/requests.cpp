#include <fstream>

#include "api_server.h"

using namespace rest_api_test;

TEST_CASE("a handler gets the decoded request") {
  const ApiServer server;
  const auto answer = server.as("admin-a", "PUT", "/t/items/a%2Fb%20c?x=1%2B1&y=", "raw");
  CHECK(answer.status == 200);
  CHECK(has(answer.body, R"("method":"PUT","path":"/t/items/a/b c","params":{"id":"a/b c"})"));
  CHECK(has(answer.body, R"("query":{"x":"1+1","y":""})"));
  CHECK(has(answer.body, R"("body":"raw")"));
  CHECK(has(answer.body, R"("tenant":"a.example","subject":"1","username":"alice","role":"admin")"));
  CHECK(has(answer.body, R"("host":"127.0.0.1","listener":"public")"));
  CHECK(answer.headers.at("content-type") == "application/json");
  CHECK(answer.headers.at("cache-control") == "no-store");
}

TEST_CASE("checks come in the order 404, 405, 401, 403, 413, 400") {
  const ApiServer server;
  const std::string big(2 << 20, 'x');
  CHECK(server.http.post("/t/nowhere", big).status == 404);
  const auto not_allowed = server.http.ask("PATCH", "/t/checked?count=x", "{");
  CHECK(not_allowed.status == 405);
  CHECK(not_allowed.headers.at("allow") == "POST, OPTIONS");
  CHECK(server.http.post("/t/checked?count=x", big).status == 401);
  CHECK(server.as("user-a", "POST", "/t/checked?count=x", big).status == 403);
  CHECK(server.as("admin-a", "POST", "/t/checked?count=x", big).status == 413);
  CHECK(server.as("admin-a", "POST", "/t/checked?count=x", "{").status == 400);
}

TEST_CASE("a body is validated by the route's schema, and the error names field and bound") {
  const ApiServer server;
  const auto post = [&](const std::string& body) { return server.as("admin-a", "POST", "/t/checked", body); };
  CHECK(has(post(R"({"Phone": "+4930", "more": 1})").body, R"("json":{"phone":"+4930","retries":0})"));
  CHECK(post("").body == error_text("invalid_request", "phone is required"));
  CHECK(post(R"({"phone": "+4930", "retries": 11})").body ==
        error_text("invalid_request", "retries must be at most 10"));
  CHECK(post(R"({"phone": "1", "Phone": "2"})").status == 400);
  const auto broken = post("{\"phone\": ");
  CHECK(broken.status == 400);
  CHECK(has(broken.body, R"("error":"invalid_request")"));
}

TEST_CASE("an error of many faults lists whole ones, and names the fields of the rest") {
  const ApiServer server;
  const auto answer = server.as("admin-a", "POST", "/t/checked",
                                R"({"phone": 1, "one": "", "two": "", "three": "", "four": "", "five": "",
                                    "six": "", "seven": "", "eight": "", "nine": "", "ten": ""})");
  CHECK(answer.status == 400);
  CHECK(answer.body ==
        error_text("invalid_request",
                   "phone must be a string. one must be an integer. two must be an integer. three must be an "
                   "integer. four must be an integer. five must be an integer. six must be an integer. seven "
                   "must be an integer. eight must be an integer. And 2 more faults: nine, ten"));
}

TEST_CASE("a large body is parsed on a worker and checked as a small one") {
  const ApiServer server;
  const std::string padding = R"(", "note": ")" + std::string(200'000, 'x') + "\"}";
  const auto fine = server.as("admin-a", "POST", "/t/checked", R"({"phone": "+491)" + padding);
  CHECK(fine.status == 200);
  CHECK(has(fine.body, R"("json":{"phone":"+491","retries":0})"));
  const auto short_phone = server.as("admin-a", "POST", "/t/checked", R"({"phone": "1)" + padding);
  CHECK(short_phone.status == 400);
  CHECK(has(short_phone.body, "phone"));
  CHECK(server.as("admin-a", "POST", "/t/checked", "{" + std::string(100'000, ' ')).status == 400);
}

TEST_CASE("names of query parameters are read in any case, but one may not be given twice") {
  const ApiServer server;
  const auto page = server.http.get("/t/list?Limit=2&Offset=4&Q=ab");
  CHECK(page.status == 200);
  CHECK(has(page.body, R"({"n":4},{"n":5}])"));
  CHECK(has(page.body, R"("limit":2,"offset":4,"next":"/t/list?Q=ab&limit=2&offset=6")"));
  CHECK(server.http.get("/t/list?Limit=0").status == 400);
  CHECK(has(server.http.get("/t/list?LIMIT=2&oFFset=4").body, R"("limit":2,"offset":4,)"));
  CHECK(has(server.as("super", "GET", "/t/admin?TENANT=b.example").body, R"("tenant":"b.example")"));
  CHECK(has(server.as("admin-a", "POST", "/t/checked?COUNT=7&dEEP=1", R"({"phone": "+49"})").body,
            R"("query":{"count":"7","deep":"true"})"));
  CHECK(server.http.get("/t/list?limit=1&Limit=2").status == 400);
  CHECK(has(server.as("super", "GET", "/t/admin?Tenant=b.example").body, R"("tenant":"b.example")"));
  CHECK(server.as("admin-a", "GET", "/t/admin?Tenant=b.example").status == 403);
  CHECK(server.http.get("/t/choice?Verb=two").body == R"({"verb":"two"})");
}

TEST_CASE("the error for a missing discriminator names it") {
  const ApiServer server;
  const auto answer = server.http.get("/t/choice");
  CHECK(answer.status == 404);
  CHECK(answer.body == error_text("not_found", "this path needs one of ?verb=one, ?verb=two"));
}

TEST_CASE("a method that lacks its required query parameter is 400, after the bearer was checked") {
  const ApiServer server;
  const auto answer = server.as("admin-a", "DELETE", "/t/open");
  CHECK(answer.status == 400);
  CHECK(answer.body == error_text("invalid_request", "the query parameter match is required: ?match=..."));
  CHECK(server.as("admin-a", "DELETE", "/t/open?match=%2B49").status == 200);
  CHECK(server.as("user-a", "DELETE", "/t/open").status == 403);
  CHECK(server.as("unknown", "DELETE", "/t/open").status == 401);
  CHECK(server.as("admin-a", "PUT", "/t/open").status == 405);
}

TEST_CASE("a query that is repeated is read as before, also after another one") {
  const ApiServer server;
  const auto ask = [&](const std::string& query) {
    return server.as("admin-a", "POST", "/t/checked?" + query, R"({"phone": "+49"})");
  };
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 2; ++i) CHECK(has(ask("count=1").body, R"("query":{"count":"1"})"));
    CHECK(has(ask("count=2").body, R"("query":{"count":"2"})"));
    for (int i = 0; i < 2; ++i) CHECK(ask("count=x").status == 400);
  }
}

TEST_CASE("query parameters are read as the schema's types") {
  const ApiServer server;
  const auto ask = [&](const std::string& query) {
    return server.as("admin-a", "POST", "/t/checked?" + query, R"({"phone": "+49"})");
  };
  CHECK(
      has(ask("count=007&deep=true&q=12&unknown=1").body, R"("query":{"count":"7","deep":"true","q":"12"})"));
  CHECK(has(ask("Count=7").body, R"("query":{"count":"7"})"));
  CHECK(ask("count=0").body == error_text("invalid_request", "count must be at least 1"));
  CHECK(ask("count=many").status == 400);
  CHECK(ask("deep=perhaps").status == 400);
  CHECK(ask("q=123456").status == 400);
  CHECK(ask("q=1&q=2").status == 400);
  CHECK(ask("q=%zz").status == 400);
}

TEST_CASE("a body is JSON whatever its Content-Type, but a Content-Encoding is 415") {
  const ApiServer server;
  const HttpClient::Headers admin{"Authorization: Bearer admin-a"};
  auto odd = admin;
  odd.push_back("Content-Type: text/plain");
  CHECK(server.http.post("/t/checked", R"({"phone": "+49"})", odd).status == 200);
  odd.push_back("Content-Encoding: gzip");
  CHECK(server.http.post("/t/checked", R"({"phone": "+49"})", odd).status == 415);
}

TEST_CASE("routes with message_errors have error bodies with a message only") {
  const ApiServer server;
  CHECK(server.as("admin-a", "POST", "/t/messages", "{}").body == R"({"error":"phone is required"})");
  CHECK(
      has(server.as("unknown", "POST", "/t/messages", "{}").body, R"({"error":"the bearer is not valid"})"));
  const auto not_allowed = server.http.get("/t/messages");
  CHECK(not_allowed.status == 405);
  CHECK(not_allowed.headers.at("allow") == "POST, OPTIONS");
  CHECK(not_allowed.body == R"({"error":"this path allows POST, OPTIONS"})");
}

TEST_CASE("a body up to the limit is accepted, and one octet more is 413") {
  const ApiServer server;
  const auto fits = server.as("admin-a", "POST", "/t/raw", std::string(1 << 18, 'x'));
  CHECK(has(fits.body, R"("size":262144)"));
  CHECK(server.as("admin-a", "POST", "/t/raw", std::string((1 << 18) + 1, 'x')).status == 413);
}

TEST_CASE("a route may have its own body limit, up to the operator's") {
  const auto status = [](const ApiServer& server, const char* path, size_t size) {
    return server.as("admin-a", "POST", path, std::string(size, 'x')).status;
  };
  const ApiServer server;
  CHECK(status(server, "/t/large", 1 << 20) == 200);
  CHECK(status(server, "/t/large", (1 << 20) + 1) == 413);
  CHECK(status(server, "/t/small", 1000) == 200);
  CHECK(status(server, "/t/small", 1001) == 413);
  const ApiServer set(with_limits("bodyBytes: 5000"));
  CHECK(status(set, "/t/large", 5000) == 200);
  CHECK(status(set, "/t/large", 5001) == 413);
  CHECK(status(set, "/t/small", 1001) == 413);
  CHECK(status(set, "/t/raw", 5001) == 413);
}

TEST_CASE("HEAD is GET without its body, OPTIONS lists the methods") {
  const ApiServer server;
  const auto get = server.as("admin-a", "GET", "/t/items/1");
  const auto head = server.as("admin-a", "HEAD", "/t/items/1");
  CHECK(head.status == 200);
  CHECK(head.body == "");
  CHECK(std::stoul(head.headers.at("content-length")) + 1 == get.body.size());  // "is_head":true, not false
  CHECK(has(get.body, R"("method":"GET")"));
  const auto options = server.http.ask("OPTIONS", "/t/items/1");
  CHECK(options.status == 204);
  CHECK(options.headers.at("allow") == "GET, HEAD, PUT, OPTIONS");
}

TEST_CASE("discriminators distinguish the routes of one path") {
  const ApiServer server;
  CHECK(server.http.get("/t/choice?verb=one").body == R"({"verb":"one"})");
  CHECK(server.http.get("/t/choice?verb=two&x=1").body == R"({"verb":"two"})");
  CHECK(server.http.get("/t/choice?verb=three").status == 404);
}

TEST_CASE("the handler gets repeated headers joined, as UTF-8") {
  const ApiServer server;
  const auto answer = server.http.get("/t/open", {"X-Two: a", "X-Two: b", "X-Odd: \xe4"});
  CHECK(has(answer.body, R"("x-two":"a, b")"));
  CHECK(has(answer.body, "\"x-odd\":\"\xc3\xa4\""));
}

TEST_CASE("a valid request id is kept, an invalid one replaced") {
  const ApiServer server;
  const auto given = server.http.get("/t/open", {"X-Request-Id: abc-1.2_3"});
  CHECK(given.headers.at("x-request-id") == "abc-1.2_3");
  CHECK(has(given.body, R"("correlation":"abc-1.2_3")"));
  const auto made = server.http.get("/t/open", {"X-Request-Id: {evil}"});
  CHECK(made.headers.at("x-request-id").size() == 16);
}

TEST_CASE("a request whose calls are answered at once stays on the thread that received it") {
  const ApiServer server;
  int stayed = 0;
  for (int i = 0; i < 50; ++i) {
    std::string name;
    std::ifstream("/proc/self/task/" + server.http.get("/t/thread").body + "/comm") >> name;
    if (name == "pb-http") ++stayed;
  }
  CHECK(stayed > 25);  // another thread helps when the strand happens to be busy
}
