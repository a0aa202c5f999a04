// The plugin in a server, with an engine's thread that is stuck.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <patchbay/plugin.h>
#include <patchbay/services/engine.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <future>
#include <memory>
#include <optional>
#include <string>

#include "support/linked_plugin.h"
#include "support/probe_plugin.h"
#include "support/promise.h"
#include "support/sanitizers.h"
#include "support/test_server.h"
#include "support/within.h"

using namespace patchbay;
using namespace patchbay::test;

namespace {

constexpr std::chrono::seconds kPatience{30};

Promise<Handle> added;  // the engine

// Provides patchbay.engines.
class Registry final : public Plugin {
 public:
  static constexpr char manifest[] =
      R"({"id": "registry", "version": "0.1.0", "provides": ["patchbay.engines/1"],
          "config": {"plugin": {"type": "object", "properties": {}}}})";
  static constexpr char store_sql[] = "";

  Status start(const Config&) override {
    engines_.emplace(host());
    engines_->on(engine::EngineRegistry::add_engine, [](const engine::AddEngine& request) -> Result<Empty> {
      added.set(request.engine);
      return Empty{};
    });
    return engines_->publish();
  }
  void stop(Done done) override {
    engines_.reset();
    done();
  }

 private:
  std::optional<Provision<engine::EngineRegistry>> engines_;
};

template <class F>
void on_strand(F f) {
  std::promise<Result<int>> done;
  probe::run([&](const Host& host) {
    f(host);
    done.set_value(0);
  });
  REQUIRE(probe::wait(done.get_future()));
}

}  // namespace

// Not with ASan, because its leak checker reports what is leaked on purpose.
TEST_CASE("a server stops although an engine's thread is stuck, and reports it" *
          doctest::skip(kHasAddressSanitizer)) {
  const TemporaryFolder folder;
  const std::string authorities = folder.path() / "authorities.pem";
  REQUIRE(::mkfifo(authorities.c_str(), 0600) == 0);
  TestServer server(
      "plugins:\n  registry: {}\n  probe: {}\n  engine-gemini: {url: \"wss://127.0.0.1:9\", caFile: \"" +
          authorities + "\"}\n",
      nullptr, {&LinkedPlugin<Registry>::entry, probe::entry()});
  REQUIRE(server.start_error() == "");
  const auto engine = added.get(kPatience);
  REQUIRE(engine);

  Lease<engine::Engine> service;
  std::optional<Provision<engine::Listener>> listener;
  on_strand([&](const Host& host) {
    listener.emplace(host);
    service = Lease<engine::Engine>::open(host, *engine);
    engine::Open request;
    request.model = "gemini-live";
    request.api_key = "0123456789abcdef";
    request.listener = listener->handle();
    service.call(engine::Engine::open, request, [](const Result<engine::Opened>&) {});
  });
  // The engine's thread has opened the pipe and blocks in a read until the other end is closed.
  int pipe = -1;
  REQUIRE(
      within(kPatience, [&] { return (pipe = ::open(authorities.c_str(), O_WRONLY | O_NONBLOCK)) >= 0; }));
  on_strand([&](const Host&) {
    service = {};
    listener.reset();
  });
  const Status stopped = server.core().stop();
  CHECK_FALSE(stopped.ok());
  CHECK(stopped.error().text.find("the thread of the AI engine is stuck") != std::string::npos);
  CHECK(server.log().find("the engine's thread is stuck and is leaked") != std::string::npos);
  ::close(pipe);
}
