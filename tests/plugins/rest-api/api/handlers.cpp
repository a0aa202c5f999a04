#include <atomic>
#include <filesystem>
#include <thread>

#include "api_server.h"
#include "runtime/manual_clock.h"

using namespace rest_api_test;

TEST_CASE("a handler that fails, throws or drops its reply is 500, without internal details") {
  const ApiServer server;
  for (const char* path :
       {"/t/fails", "/t/throws", "/t/drops", "/t/bad-headers", "/t/split-header", "/t/odd-status"}) {
    CAPTURE(path);
    const auto answer = server.http.get(path);
    CHECK(answer.status == 500);
    CHECK(answer.body == error_text("internal_error", "the request could not be processed"));
  }
  CHECK(has(server.core.log(), "the disk at /secret/place is full"));
  CHECK(has(server.core.log(), "the answer's header X-Note has a character that no header may have"));
  CHECK(has(server.core.log(), "the answer's status is 99, not 200 to 599"));
  CHECK(has(server.core.log(), "path=/t/split-header status=500"));
}

TEST_CASE("a handler that is not available is 503") {
  const ApiServer server;
  CHECK(server.http.get("/t/unavailable").status == 503);
}

TEST_CASE("a handler that is exhausted or times out is 503 with Retry-After") {
  const ApiServer server;
  for (const char* path : {"/t/unavailable", "/t/exhausted", "/t/timeout"}) {
    CAPTURE(path);
    const auto answer = server.http.get(path);
    CHECK(answer.status == 503);
    CHECK(answer.body == error_text("unavailable", "this is not available at the moment; try again later"));
    REQUIRE(answer.headers.count("retry-after") == 1);
    CHECK(answer.headers.at("retry-after") == "1");
  }
}

TEST_CASE("a handler's own error and headers are sent unchanged") {
  const ApiServer server;
  const auto answer = server.http.get("/t/teapot");
  CHECK(answer.status == 409);
  CHECK(answer.body == error_text("teapot", "short and stout"));
  CHECK(answer.headers.at("x-spout") == "left");
  CHECK(answer.headers.at("set-cookie") == "b=2");
}

TEST_CASE("a route is removed with its handler") {
  const ApiServer server;
  REQUIRE(server.http.wait_for("GET", "/t/short-lived"));
  CHECK(server.http.get("/t/short-lived").status == 503);
  auto answer = server.http.get("/t/short-lived");
  for (int i = 0; i < 6000 && answer.status != 404; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    answer = server.http.get("/t/short-lived");
  }
  CHECK(answer.status == 404);
}

TEST_CASE("a route that exists already and an invalid one are refused") {
  const ApiServer server;
  CHECK(server.http.get("/t/open").status == 200);
  CHECK(server.http.get("/t/odd-role").status == 404);
  CHECK(server.http.post("/t/odd-schema", "{}").status == 404);
  const std::string log = server.core.log();
  CHECK(has(log, "GET /t/open is routed twice"));
  CHECK(has(log, "GET /t/items/{name} is routed twice"));
  CHECK(has(log, "route /t/any/*: a parameter is a whole segment"));
  CHECK(has(log, "there is no method 'FETCH'"));
  CHECK(has(log, "a route's max_body_bytes is 0 to 15728640"));
  const auto ready = server.management.get("/readyz");
  CHECK(ready.status == 200);
  CHECK(
      has(ready.body, R"({"route":"GET /t/odd-role","why":"a route's role is none, user, admin or super"})"));
  CHECK(server.admin.get("/readyz").body == ready.body);  // where `patchbay plugin list` and `status` look
}

TEST_CASE("an answer may be bytes of a declared type") {
  const ApiServer server;
  const auto answer = server.http.get("/t/picture");
  CHECK(answer.status == 200);
  CHECK(answer.headers.at("content-type") == "image/png");
  CHECK(answer.body == std::string("\x89PNG\0\xff", 6));
  const auto head = server.http.ask("HEAD", "/t/picture");
  CHECK(head.headers.at("content-length") == "6");
  CHECK(head.body == "");
}

TEST_CASE("an answer may be a file, and HEAD gets its size only") {
  const ApiServer server;
  const auto answer = server.http.get("/t/file");
  CHECK(answer.status == 200);
  CHECK(answer.headers.at("content-type") == "text/html; charset=utf-8");
  CHECK(answer.body == "<p>a page</p>");
  const auto head = server.http.ask("HEAD", "/t/file");
  CHECK(head.status == 200);
  CHECK(head.headers.at("content-length") == "13");
  CHECK(head.body == "");
}

TEST_CASE("every response has Cache-Control: no-store") {
  const ApiServer server;
  const auto cached = [](const HttpAnswer& answer) { return answer.headers.at("cache-control"); };
  for (const char* path : {"/", "/t/open", "/t/fails", "/t/admin", "/t/teapot", "/api.ashx/v1",
                           "/openapi.json", "/t/list?limit=0", "/t/list", "/%zz"})
    CHECK(cached(server.http.get(path)) == "no-store");
  CHECK(cached(server.http.post("/t/open", "")) == "no-store");
  CHECK(cached(server.http.ask("OPTIONS", "/t/open")) == "no-store");
  CHECK(cached(server.as("user-a", "GET", "/t/admin")) == "no-store");
  CHECK(cached(server.as("admin-a", "POST", "/t/raw", std::string(2 << 20, 'x'))) == "no-store");
  CHECK(cached(server.management.get("/healthz")) == "no-store");
}

TEST_CASE("a handler that never answers is 503 after its deadline, and its later reply is dropped") {
  patchbay::core::ManualClock clock;
  const ApiServer server(kConfig, &clock);
  std::atomic<int> status{0};
  std::thread client([&] { status = server.http.get("/t/wait").status; });
  wait_until_asked();
  clock.advance(std::chrono::seconds(29));
  CHECK(server.http.get("/t/open").status == 200);
  CHECK(status == 0);
  clock.advance(std::chrono::seconds(2));
  client.join();
  CHECK(status == 503);
  CHECK(has(server.core.log(), "a request was not answered in time"));
  CHECK(has(server.core.log(), "path=/t/wait status=503"));
  CHECK(has(server.management.get("/metrics").body, "patchbay_rest_api_handler_timeouts_total 1\n"));
  release_waiting();
  CHECK(server.http.get("/t/open").status == 200);
}

TEST_CASE("a request that was answered holds no memory for its body, though its handler never answers") {
  patchbay::core::ManualClock clock;
  const ApiServer server(kConfig, &clock);
  const auto held = [&](const char* octets) {
    return has(server.management.get("/metrics").body,
               std::string("patchbay_rest_api_body_bytes ") + octets + "\n");
  };
  std::atomic<int> status{0};
  std::thread client([&] { status = server.http.post("/t/wait", std::string(100'000, 'x')).status; });
  wait_until_asked();
  CHECK(held("95904"));
  clock.advance(std::chrono::seconds(31));
  client.join();
  CHECK(status == 503);
  CHECK(held("0"));
  release_waiting();
}

TEST_CASE("a handler that never answers does not delay the stop of the server") {
  patchbay::core::ManualClock clock;
  ApiServer server(kConfig, &clock);
  std::atomic<int> status{0};
  std::thread client([&] { status = server.http.get("/t/wait").status; });
  wait_until_asked();
  std::atomic<bool> drained{false};
  std::thread draining([&] {
    server.core.core().drain();
    drained = true;
  });
  while (server.http.get("/t/open").status != 0) std::this_thread::yield();
  CHECK(status == 0);
  while (!drained) {
    clock.advance(std::chrono::seconds(1));
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  draining.join();
  client.join();
  CHECK(status == 503);
}

TEST_CASE("draining answers the requests in flight and closes the ports") {
  ApiServer server;
  HttpAnswer answer;
  std::thread waiting([&] { answer = server.http.get("/t/wait"); });
  wait_until_asked();
  std::thread draining([&] { server.core.core().drain(); });
  while (server.http.get("/t/open").status != 0) std::this_thread::yield();
  release_waiting();
  waiting.join();
  draining.join();
  CHECK(answer.status == 200);
  CHECK(answer.body == R"({"waited":true})");
  CHECK_FALSE(std::filesystem::exists(server.core.data() / "listening.json"));
}

TEST_CASE("stopping without draining closes the ports, too") {
  ApiServer server;
  CHECK(server.core.core().stop());
  CHECK(server.http.get("/t/open").status == 0);
  CHECK_FALSE(std::filesystem::exists(server.core.data() / "listening.json"));
}

TEST_CASE("small requests are answered while every worker is held, and large bodies wait for one") {
  ApiServer server;
  const auto metric = [&](const std::string& line) {
    return has(server.core.core().report("metrics"), "\n" + line + "\n");
  };
  HttpAnswer large;
  std::thread client;
  {
    const HeldWorkers held;
    client = std::thread([&] {
      const std::string body = R"({"phone":")" + std::string(100 * 1024, '1') + R"("})";
      large = server.as("admin-a", "POST", "/t/checked", body);
    });
    bool waits = false;
    for (int i = 0; i < 6000 && !waits; ++i) {
      waits = metric("patchbay_core_worker_jobs_waiting 1");
      if (!waits) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    CHECK(waits);
    for (int i = 0; i < 20; ++i)
      CHECK(server.as("admin-a", "POST", "/t/checked", R"({"phone":"+4930123456"})").status == 200);
    CHECK(metric("patchbay_core_worker_jobs_waiting 1"));
  }
  client.join();
  CHECK(large.status == 200);
}
