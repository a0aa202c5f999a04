// Sessions of the example engine that end while they speak. The test provides patchbay.engines.
#include <doctest/doctest.h>
#include <patchbay/audio.h>
#include <patchbay/end_watch.h>
#include <patchbay/services/audio.h>
#include <patchbay/services/engine.h>

#include <atomic>
#include <future>
#include <memory>
#include <optional>
#include <string>

#include "example.h"
#include "support/probe_plugin.h"
#include "support/promise.h"
#include "support/test_server.h"

using namespace patchbay;
using namespace patchbay::test;

namespace {

// Produces a constant, and counts pushed samples that are not silence.
class Telephone final : public AudioPort {
 public:
  int heard() const { return heard_; }
  uint32_t pull_rate_hz() const noexcept override { return 16000; }
  uint32_t push_rate_hz() const noexcept override { return 16000; }
  void pull(pb_frame& out) noexcept override {
    for (uint32_t i = 0; i < out.capacity; ++i) out.pcm[i] = 1000;
    out.samples = out.capacity;
  }
  void push(const pb_frame& in) noexcept override {
    if (in.samples > 0 && in.pcm[0] != 0) ++heard_;
  }

 private:
  std::atomic<int> heard_{0};
};

// The state of the conversation, on the probe's strand.
struct Conversing {
  explicit Conversing(const Host& host) : registry(host), listener(std::in_place, host), audio(host) {}
  Provision<engine::EngineRegistry> registry;
  std::optional<Provision<engine::Listener>> listener;
  Service<audio::Audio> audio;
  Lease<engine::Engine> engine;
  Lease<engine::Session> session;
  EndWatch session_gone;
};

class Fixture {
 public:
  Fixture() {
    REQUIRE(server.start_error() == "");
    on_strand([this](const Host& host) {
      parts = std::make_unique<Conversing>(host);
      parts->registry.on(engine::EngineRegistry::add_engine,
                         [this, &host](const engine::AddEngine& request) -> Result<Empty> {
                           parts->engine = Lease<engine::Engine>::open(host, request.engine);
                           added.set(true);
                           return Empty{};
                         });
      parts->listener->on(engine::Listener::closed, [this](const engine::Closed&) -> Result<Empty> {
        ++closed;
        return Empty{};
      });
      CHECK(parts->registry.publish().ok());
    });
    REQUIRE(added.get(kPatience));
  }
  ~Fixture() {
    Promise<bool> gone;
    on_strand([&](const Host&) {
      telephone.close([&] { gone.set(true); });
      parts.reset();
    });
    CHECK(gone.get(kPatience));
    CHECK(server.core().stop().ok());
  }

  // Opens a session and waits until its audio arrives.
  void converse() {
    Promise<bool> joined;
    on_strand([&](const Host& host) {
      engine::Open open;
      open.listener = parts->listener->handle();
      parts->engine.call(engine::Engine::open, open, [&](const Result<engine::Opened>& opened) {
        if (!opened) return joined.set(false);
        parts->session = Lease<engine::Session>::open(host, opened->session);
        parts->session_gone = EndWatch(host, opened->session, [this] { session_ended.set(true); });
        parts->session.send(engine::Session::begin, {});
        parts->audio.call(audio::Audio::join, {opened->port, telephone.open(host), ""},
                          [&](const Result<audio::Joined>& result) { joined.set(result.ok()); });
      });
    });
    REQUIRE(joined.get(kPatience) == true);
    REQUIRE(eventually([this] { return telephone.heard() > 5; }));
  }
  template <class F>
  void on_strand(F f) {
    std::promise<Result<int>> done;
    probe::run([&](const Host& host) {
      f(host);
      done.set_value(0);
    });
    REQUIRE(probe::wait(done.get_future()));
  }

  static constexpr std::chrono::seconds kPatience{30};
  std::atomic<int> closed{0};
  Promise<bool> added, session_ended;
  Telephone telephone;
  std::unique_ptr<Conversing> parts;
  TestServer server{"plugins:\n  media: {}\n  probe: {}\n  echo-engine: {delayMs: 20}\n",
                    nullptr,
                    {probe::entry(), example("echo-engine")}};
};

}  // namespace

TEST_CASE_FIXTURE(Fixture, "echo-engine: a session that is closed twice while it speaks ends exactly once") {
  converse();
  on_strand([this](const Host&) {
    parts->session.send(engine::Session::close, {});
    parts->session.send(engine::Session::close, {});
  });
  REQUIRE(session_ended.get(kPatience));
  on_strand([this](const Host&) { parts->listener.reset(); });
  CHECK(closed == 1);
}

TEST_CASE_FIXTURE(Fixture,
                  "echo-engine: a session whose listener crashes while it speaks is closed by the engine") {
  converse();
  on_strand([this](const Host&) { parts->listener.reset(); });
  REQUIRE(session_ended.get(kPatience));
  CHECK(eventually([this] {
    return server.core().report("metrics").find("\npatchbay_media_joins 0\n") != std::string::npos;
  }));
}
