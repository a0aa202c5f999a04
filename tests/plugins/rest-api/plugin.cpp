// The plugin in a server whose threads run the strands of their requests: plugins that hang, and the stop.
#include <doctest/doctest.h>
#include <patchbay/testing/fake_host.h>

#include <atomic>
#include <filesystem>
#include <thread>
#include <vector>

#include "api/api_server.h"
#include "support/within.h"

using namespace rest_api_test;
using namespace std::chrono_literals;

namespace {

// A request that hangs in the handler of echo_plugin until the destructor, at the latest.
class HangingRequest {
 public:
  explicit HangingRequest(const ApiServer& server)
      : thread_([this, http = server.http] { answer_ = http.get("/t/hang"); }) {
    wait_until_hanging();
  }
  ~HangingRequest() { release(); }
  HangingRequest(const HangingRequest&) = delete;
  HangingRequest& operator=(const HangingRequest&) = delete;
  const HttpAnswer& release() {
    release_hanging();
    if (thread_.joinable()) thread_.join();
    return answer_;
  }

 private:
  HttpAnswer answer_;
  std::thread thread_;
};

}  // namespace

TEST_CASE("a plugin that hangs in a handler delays no request to others, on any listener") {
  const ApiServer server;
  HangingRequest hanging(server);
  CHECK(server.http.get("/openapi.json").status == 200);
  CHECK(server.management.get("/healthz").status == 200);
  CHECK(server.management.get("/metrics").status == 200);
  CHECK(server.admin.get("/local/plugins").status == 200);
  CHECK(hanging.release().body == R"({"hung":true})");
  CHECK(server.http.get("/t/open").status == 200);
}

TEST_CASE("a server stops although a plugin hangs in a handler, which may return afterwards") {
  ApiServer server(kConfig, nullptr, [](patchbay::CoreOptions& options) {
    options.start_deadline_ms = 3000;
    options.drain_deadline_ms = 0;
  });
  HangingRequest hanging(server);
  const patchbay::Status stopped = server.core.core().stop();
  REQUIRE_FALSE(stopped.ok());
  CHECK(stopped.error().text.find("rest-api:") == std::string::npos);
  CHECK(has(server.core.core().report("plugins"), R"("id":"rest-api")"));
  CHECK_FALSE(std::filesystem::exists(server.core.admin_socket()));
  hanging.release();
}

TEST_CASE("a server stops while its threads run the strands of many clients") {
  for (int round = 0; round < 5; ++round) {
    std::atomic<int> answered{0};
    std::atomic<bool> stop{false};
    std::vector<std::thread> clients;
    {
      ApiServer server;
      for (int i = 0; i < 4; ++i)
        clients.emplace_back([&, http = server.http] {
          while (!stop)
            if (http.get("/t/list?limit=3").status == 200) ++answered;
        });
      CHECK(within(60s, [&] { return answered >= 40; }));
      CHECK(server.core.core().stop().ok());
    }
    stop = true;
    for (auto& client : clients) client.join();
  }
}

TEST_CASE("a start that fails after the ports were opened closes them") {
  const patchbay::test::TemporaryFolder temporary;
  const std::filesystem::path& folder = temporary.path();
  patchbay::testing::FakeHost host(REST_API_PLUGIN, {.folder = folder.string()});
  REQUIRE(host.step(PB_STEP_CREATE).ok());
  std::filesystem::create_directories(folder / "listening.json");  // so that the file cannot be written
  const patchbay::Status started = host.step(PB_STEP_START, R"({"listen": "127.0.0.1:0"})");
  CHECK_FALSE(started.ok());
  CHECK_FALSE(std::filesystem::exists(folder / "admin.sock"));
  CHECK(host.step(PB_STEP_DESTROY).ok());
}
