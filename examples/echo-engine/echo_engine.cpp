#include <patchbay/end_watch.h>
#include <patchbay/lifetime.h>
#include <patchbay/plugin.h>
#include <patchbay/services/voice_engine.h>

#include <map>
#include <optional>

#include "echo_port.h"

namespace {

using namespace patchbay;
using S = engine::Session;
using L = engine::Listener;

// One conversation. close() calls the listener, and completes once no media loop uses the port.
class EchoSession {
 public:
  EchoSession(const Host& host, const engine::Open& open, int64_t delay_ms, Function<void()> ended)
      : ended_(std::move(ended)),
        listener_(Lease<L>::open(host, open.listener)),
        port_(delay_ms),
        session_(host),
        listener_gone_(host, open.listener, [this] { close(); }) {
    session_.on(S::begin, [this](const Empty&) -> Result<Empty> {
      port_.listen(true);
      return Empty{};
    });
    session_.on(S::push_text, [](const engine::Text&) -> Result<Empty> { return Empty{}; });
    session_.on(S::tool_result, [](const engine::ToolResult&) -> Result<Empty> { return Empty{}; });
    session_.on(S::farewell, [this](const Empty&) -> Result<Empty> {
      listener_.send(L::farewell_done, {});
      return Empty{};
    });
    session_.on(S::close, [this](const Empty&) -> Result<Empty> {
      close();
      return Empty{};
    });
    port_.open(host);
    listener_.send(L::ready, {"it only echoes speech"});
  }
  engine::Opened handles() { return {session_.handle(), port_.handle()}; }
  void close() {
    if (std::exchange(closing_, true)) return;
    port_.listen(false);
    listener_.send(L::closed, {});
    port_.close([this] { ended_(); });
  }

 private:
  Function<void()> ended_;
  Lease<L> listener_;
  EchoPort port_;
  Provision<S> session_;
  EndWatch listener_gone_;  // the listener's plugin may crash, and then close() is never called
  bool closing_ = false;
};

class EchoEngine final : public Plugin {
  Status start(const Config& config) override {
    delay_ms_ = config.plugin()["delayMs"].integer(200);
    return {};
  }
  void stop(Done done) override {
    engine_.withdraw();
    stopped_.emplace(std::move(done));
    for (const auto& [id, session] : sessions_) session->close();
    if (sessions_.empty()) (*stopped_)();
  }

  engine::Opened begin(const engine::Open& open) {
    const int64_t id = ++last_;
    auto session = std::make_unique<EchoSession>(host(), open, delay_ms_, [this, id] { ended(id); });
    return sessions_.emplace(id, std::move(session)).first->second->handles();
  }
  // Called inside the session, so the session is destroyed in a posted task.
  void ended(int64_t id) {
    post(host(), kMainStrand, [this, id] {
      sessions_.erase(id);
      if (sessions_.empty() && stopped_) (*stopped_)();
    });
  }

  int64_t delay_ms_ = 200;
  int64_t last_ = 0;
  std::map<int64_t, std::unique_ptr<EchoSession>> sessions_;
  std::optional<Done> stopped_;
  engine::VoiceEngine engine_{
      host(), "echo", "echo",
      [this](const engine::Open& open) -> Result<engine::Opened> { return begin(open); }};
};

}  // namespace

PATCHBAY_PLUGIN(EchoEngine)
