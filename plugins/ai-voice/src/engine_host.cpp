#include "engine_host.h"

#include <utility>

#include "engine_session.h"

namespace patchbay::ai_voice {

EngineHost::EngineHost(const Host& host, std::unique_ptr<Engine> engine, std::string models,
                       bool key_required)
    : host_(host),
      engine_(std::move(engine)),
      models_(std::move(models)),
      key_required_(key_required),
      service_(host) {
  service_.on(engine::Engine::open, [this](const engine::Open& request) { return open(request); });
}

EngineHost::~EngineHost() = default;

engine::AddEngine EngineHost::registration() {
  return {engine_->name(), models_, key_required_, service_.handle()};
}

Result<engine::Opened> EngineHost::open(const engine::Open& request) {
  if (stopped_) return {Code::unavailable, "the server is stopping"};
  const int64_t id = ++last_id_;
  auto session = std::make_unique<EngineSession>(host_, request, [this, id] { ended(id); });
  PB_TRY(session->open(*engine_, request));
  const engine::Opened opened = session->handles();
  sessions_.emplace(id, std::move(session));
  return opened;
}

void EngineHost::ended(int64_t id) {
  // Called from inside the session: it goes when that has returned.
  post(host_, kMainStrand, [this, id] {
    sessions_.erase(id);
    if (sessions_.empty() && stopped_) std::exchange(stopped_, {})();
  });
}

void EngineHost::stop(Function<void()> done) {
  service_.withdraw();
  if (sessions_.empty()) return done();
  stopped_ = std::move(done);
  for (const auto& [id, session] : sessions_) session->close();
}

}  // namespace patchbay::ai_voice
