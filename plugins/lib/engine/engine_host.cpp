#include "engine/engine_host.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "engine/engine_session.h"

namespace patchbay::lib {
namespace {

// Keeps what a stuck thread may still use until the process ends.
void leave_behind(std::unique_ptr<EngineSession> session) {
  static auto* const left_behind = new std::vector<std::unique_ptr<EngineSession>>;
  left_behind->push_back(std::move(session));
}

Metric::Labels label(const Engine& engine) { return {{"engine", engine.name()}}; }

}  // namespace

EngineHost::EngineHost(const Host& host, IoThread& io, std::unique_ptr<Engine> engine, std::string models,
                       bool key_required, StallLimits limits)
    : host_(host),
      io_(io),
      log_(host),
      engine_(std::move(engine)),
      limits_(limits),
      service_(
          host, engine_->name(), std::move(models),
          [this](const engine::Open& request) { return open(request); }, key_required),
      thread_watch_(io),
      timer_(host),
      stop_limit_(host),
      sessions_metric_(
          Metric::gauge(host, "patchbay_engine_sessions", "Open sessions of an engine", label(*engine_))),
      dropped_(Metric::counter(host, "patchbay_engine_audio_dropped_ms_total",
                               "Caller audio that an engine never got because it was taken too slowly",
                               label(*engine_))),
      reply_dropped_(Metric::counter(host, "patchbay_engine_reply_dropped_ms_total",
                                     "Engine audio beyond what may wait to be played", label(*engine_))),
      queued_(Metric::gauge(host, "patchbay_engine_queue_ms",
                            "Caller audio that waits to be sent to an engine, over all calls",
                            label(*engine_))),
      reconnects_(Metric::counter(host, "patchbay_engine_reconnects_total",
                                  "Connections to an engine that were lost in mid-call and tried again",
                                  label(*engine_))),
      unsaid_(Metric::counter(host, "patchbay_engine_unsaid_total",
                              "Answers that an engine did not speak because too many waited for its voice",
                              label(*engine_))),
      stalls_(Metric::counter(host, "patchbay_engine_stalls_total",
                              "Times an engine's thread did not come back from a task", label(*engine_))),
      lag_(Metric::gauge(host, "patchbay_engine_lag_seconds", "How long a task waits for an engine's thread",
                         label(*engine_))),
      drained_(std::make_shared<CallbackGate>()) {
  watch();
}

EngineHost::~EngineHost() { drained_->close(); }

Result<engine::Opened> EngineHost::open(const engine::Open& request) {
  if (stopped_) return {Code::unavailable, "the server is stopping"};
  if (stuck_ms_ >= limits_.stall_ms)
    return {Code::unavailable, std::string(engine_->name()) + " does not respond: its thread is stuck"};
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
    const auto session = sessions_.find(id);
    if (session->second->is_stuck()) leave_behind(std::move(session->second));
    sessions_.erase(session);
    if (sessions_.empty() && stopped_) drain_thread();
  });
}

void EngineHost::watch() {
  watch_thread();
  export_stats();
  timer_.after_ms(limits_.look_ms, [this] { watch(); });
}

// A stuck thread keeps its calls in silence for ever, because nothing on it can end them: that is done here.
void EngineHost::watch_thread() {
  const IoWatch::Sample sample = thread_watch_.look();
  stuck_ms_ = sample.waiting_ms;
  lag_.set(static_cast<double>(std::max(sample.waiting_ms, sample.lag_ms)) / 1000);
  if (stuck_ms_ < limits_.stall_ms) {
    if (std::exchange(stall_reported_, false))
      log_.warn("the engine's thread has come back", {{"engine", engine_->name()}, {"ms", sample.lag_ms}});
    return;
  }
  if (!std::exchange(stall_reported_, true)) {
    stalls_.add();
    log_.error("the engine's thread is stuck, new calls are refused",
               {{"engine", engine_->name()}, {"ms", stuck_ms_}, {"sessions", sessions_.size()}});
  }
  if (stuck_ms_ >= limits_.give_up_ms) give_up_sessions();
}

void EngineHost::give_up_sessions() {
  for (const auto& [id, session] : sessions_) session->give_up("its thread is stuck");
}

void EngineHost::export_stats() {
  const auto gained = [](const std::atomic<int64_t>& now, int64_t& before) {
    const int64_t value = now.load(std::memory_order_relaxed);
    return static_cast<double>(value - std::exchange(before, value));
  };
  const EngineStats& stats = engine_->stats();
  sessions_metric_.set(static_cast<double>(sessions_.size()));
  queued_.set(static_cast<double>(stats.queued_ms.load(std::memory_order_relaxed)));
  dropped_.add(gained(stats.dropped_ms, exported_.dropped_ms));
  reply_dropped_.add(gained(stats.reply_dropped_ms, exported_.reply_dropped_ms));
  reconnects_.add(gained(stats.reconnects, exported_.reconnects));
  unsaid_.add(gained(stats.unsaid, exported_.unsaid));
}

void EngineHost::stop(Function<void(bool)> done) {
  service_.withdraw();
  stopped_ = std::move(done);
  stop_limit_.after_ms(limits_.stop_ms, [this] {
    log_.error("the engine's thread is stuck, it is left behind",
               {{"engine", engine_->name()}, {"sessions", sessions_.size()}});
    draining_ = true;
    drained_->close();
    if (sessions_.empty()) return stopped(false);
    give_up_sessions();  // the last one to end reports that the host has stopped
  });
  for (const auto& [id, session] : sessions_) session->close();
  if (sessions_.empty()) drain_thread();
}

// What sessions have posted runs before the thread may go.
void EngineHost::drain_thread() {
  if (std::exchange(draining_, true)) return stopped(false);
  io_.post([gate = drained_, host = &host_, then = alive_.bind([this] { stopped(true); })] {
    gate->run([&] { post(*host, kMainStrand, then); });
  });
}

void EngineHost::stopped(bool thread_works) {
  timer_.cancel();
  stop_limit_.cancel();
  if (!thread_works) static_cast<void>(engine_.release());  // NOLINT(bugprone-unused-return-value)
  if (stopped_) std::exchange(stopped_, {})(thread_works);
}

}  // namespace patchbay::lib
