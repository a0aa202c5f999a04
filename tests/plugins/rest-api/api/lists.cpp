#include "api_server.h"
#include "json/parse.h"

using namespace rest_api_test;

namespace {

std::string tail(const HttpAnswer& answer) {
  const auto at = answer.body.find("],");
  return at == std::string::npos ? answer.body : answer.body.substr(at + 2);
}

}  // namespace

TEST_CASE("a list's envelope carries total, limit, offset, next and the siblings") {
  const ApiServer server;
  CHECK(tail(server.http.get("/t/list")) ==
        R"("tenant":"sibling","total":1200,"limit":50,"offset":0,"next":"/t/list?limit=50&offset=50"})");
  CHECK(tail(server.http.get("/t/list?offset=1150")) ==
        R"("tenant":"sibling","total":1200,"limit":50,"offset":1150,"next":null})");
  CHECK(has(server.http.get("/t/list?offset=5000").body, R"({"data":[],"tenant":"sibling","total":1200)"));
}

TEST_CASE("next carries the other query parameters on") {
  const ApiServer server;
  CHECK(has(server.http.get("/t/list?q=a%26b&offset=10&deep=true&limit=5").body,
            R"("next":"/t/list?q=a%26b&deep=true&limit=5&offset=15"})"));
}

TEST_CASE("a limit above 500 is 500, and an invalid one is 400") {
  const ApiServer server;
  CHECK(has(server.http.get("/t/list?limit=501").body, R"("limit":500,"offset":0)"));
  CHECK(has(server.http.get("/t/list?limit=99999999999999999999").body, R"("limit":500,"offset":0)"));
  for (const char* query : {"limit=0", "limit=-1", "limit=x", "limit=", "limit=1.5", "offset=-1", "offset=x",
                            "offset=", "limit=%2B5"}) {
    CAPTURE(query);
    const auto answer = server.http.get(std::string("/t/list?") + query);
    CHECK(answer.status == 400);
    CHECK(has(answer.body, R"({"error":"invalid_request","error_description":")" +
                               std::string(query).substr(0, std::string(query).find('=')) + " must be"));
  }
}

TEST_CASE("a list whose handler returns the array alone has the same envelope, at any size") {
  const ApiServer server;
  for (const int limit : {1, 5, 500}) {  // below and above the size that is copied behind the head
    CAPTURE(limit);
    const auto answer = server.http.get("/t/array?offset=3&limit=" + std::to_string(limit));
    CHECK(answer.status == 200);
    CHECK(answer.headers.at("content-type") == "application/json");
    CHECK(answer.body.substr(0, 18) == R"({"data":[{"n":3,"t)");
    CHECK(tail(answer) == R"("total":1200,"limit":)" + std::to_string(limit) +
                              R"(,"offset":3,"next":"/t/array?limit=)" + std::to_string(limit) +
                              "&offset=" + std::to_string(3 + limit) + "\"}");
    CHECK(patchbay::core::json::parse(answer.body).ok());
    const auto head = server.http.ask("HEAD", "/t/array?offset=3&limit=" + std::to_string(limit));
    CHECK(head.headers.at("content-length") == answer.headers.at("content-length"));
  }
  CHECK(tail(server.http.get("/t/array?offset=1150&counted=false")) ==
        R"("total":1200,"limit":50,"offset":1150,"next":null})");
  CHECK(server.http.get("/t/array?offset=1200").body ==
        R"({"data":[],"total":1200,"limit":50,"offset":1200,"next":null})");
}

TEST_CASE("the next page of a list with cursors begins where the handler says, also when items were added") {
  const ApiServer server;
  CHECK(
      server.http.get("/t/cursors?limit=4").body ==
      R"({"data":[0,1,2,3],"total":10,"limit":4,"offset":0,"next":"/t/cursors?limit=4&offset=4&cursor=at4"})");
  CHECK(
      server.http.get("/t/cursors?Cursor=at5&limit=4&offset=4").body ==
      R"({"data":[5,6,7,8],"total":10,"limit":4,"offset":4,"next":"/t/cursors?limit=4&offset=8&cursor=at9"})");
  CHECK(has(server.http.get("/t/cursors?limit=4&offset=0&cursor=at9").body,
            R"("total":10,"limit":4,"offset":0,"next":null})"));
  CHECK(has(server.http.get("/t/cursors?limit=4&offset=5").body, R"("data":[5,6,7,8])"));
}
