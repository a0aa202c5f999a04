// The audio port of an engine's session, on the fake host. The test is the engine.
#include "engine/engine_session.h"

#include <doctest/doctest.h>
#include <patchbay/testing/fake_port.h>
#include <patchbay/testing/test_environment.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <thread>

using namespace patchbay;
using namespace patchbay::lib;
using testing::why;

namespace {

// An engine with one session, whose answer the test sets.
class ScriptedEngine final : public Engine {
 public:
  struct Answer {
    SessionListener* listener = nullptr;
    std::atomic<size_t> samples{0};  // still to be pulled
  };
  class OneSession final : public Session {
   public:
    explicit OneSession(Answer& answer) : answer_(answer) {}
    bool detach() override { return true; }
    int output_rate_hz() const override { return 24000; }
    void begin() override {}
    void push_audio(const int16_t*, size_t) noexcept override {}
    size_t pull_audio(int16_t* out, size_t count) noexcept override {
      const size_t pulled = std::min(count, answer_.samples.load());
      std::fill_n(out, count, int16_t{0});
      std::fill_n(out, pulled, int16_t{500});
      answer_.samples -= pulled;
      return pulled;
    }
    size_t pull_first_audio(int16_t* out, size_t count) noexcept override { return pull_audio(out, count); }
    void push_text(std::string, bool) override {}
    void tool_result(std::string, std::string) override {}
    void farewell() override {}
    void close() override { answer_.listener->on_closed({1000, "", false, true, 0}); }

   private:
    Answer& answer_;
  };
  const char* name() const override { return "scripted"; }
  bool matches(std::string_view) const override { return true; }
  Result<std::unique_ptr<Session>> open(IoThread&, SessionConfig, SessionListener& listener) override {
    answer.listener = &listener;
    return std::unique_ptr<Session>(std::make_unique<OneSession>(answer));
  }

  Answer answer;
};

struct OpenSession {
  OpenSession() {
    environment.run([this] {
      session = std::make_unique<EngineSession>(environment.host(), engine::Open{}, [this] { ended = true; });
      CHECK(why(session->open(engine, io, {})) == "");
      port = session->handles().port;
    });
  }
  ~OpenSession() {
    environment.run([this] { session->close(); });
    CHECK(why(environment.settle()) == "");
    CHECK(ended);
    environment.run([this] { session.reset(); });
  }
  // An answer is ready, as the engine's thread reports it.
  void answer(size_t frames) {
    engine.answer.samples = frames * 480;
    engine.answer.listener->on_answer_startable();
    CHECK(why(environment.settle()) == "");
  }

  testing::TestEnvironment environment;
  IoThread io;
  ScriptedEngine engine;
  std::unique_ptr<EngineSession> session;
  Handle port;
  bool ended = false;
};

}  // namespace

TEST_CASE("the first frame of an answer leaves at once, the others are pulled") {
  OpenSession open;
  testing::OpenPort telephone(open.environment, open.port);
  REQUIRE(telephone.stream(PB_PORT_EARLY));
  open.answer(3);
  CHECK(telephone.streamed().size() == 480);
  open.answer(3);  // again before any silence
  CHECK(telephone.streamed().size() == 480);
  for (int i = 0; i < 3; ++i) CHECK(telephone.pull().front() == 500);
  CHECK(telephone.pull().front() == 0);
  open.answer(1);
  CHECK(telephone.streamed().size() == 960);
}

TEST_CASE("an answer that is ready without a port that takes it early, is only pulled") {
  OpenSession open;
  open.answer(1);
  testing::OpenPort recorder(open.environment, open.port);
  CHECK_FALSE(recorder.stream(PB_PORT_UNPACED));
  CHECK(recorder.push_flags() == PB_PORT_UNPACED);
  open.answer(2);
  CHECK(recorder.streamed().empty());
  CHECK(recorder.pull().front() == 500);
}

TEST_CASE("a loop that the port has left does not pass the first frame of an answer") {
  OpenSession open;
  testing::OpenPort telephone(open.environment, open.port);
  REQUIRE(telephone.stream(PB_PORT_EARLY));
  const Host& host = open.environment.host();
  const pb_port* port = nullptr;
  void* self = nullptr;
  const uint64_t opening = host.media->port_open(host.self, open.port.id, &port, &self);
  REQUIRE(opening != 0);
  // The loop that owns the port has another thread than that on which the posts of this host run.
  std::thread([&] { port->attached(self, 0); }).join();
  open.engine.answer.samples = 480;
  open.engine.answer.listener->on_answer_startable();
  CHECK(why(open.environment.settle()) == "");
  CHECK(telephone.streamed().empty());
  CHECK(telephone.pull().front() == 500);
  host.media->port_release(host.self, opening);
}

TEST_CASE("a session ends after the frame that its engine's thread has just posted") {
  OpenSession open;
  testing::OpenPort telephone(open.environment, open.port);
  REQUIRE(telephone.stream(PB_PORT_EARLY));
  open.engine.answer.samples = 480;
  open.engine.answer.listener->on_answer_startable();
}
