#include "engine/engine_host.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "engine/engine_session.h"

namespace patchbay::lib {
namespace {

// Never destroys the session, because a stuck thread may still use it.
void leak(std::unique_ptr<EngineSession> session) {
  static auto* const leaked = new std::vector<std::unique_ptr<EngineSession>>;
  leaked->push_back(std::move(session));
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
                            "Caller audio waiting to be sent to an engine, over all calls", label(*engine_))),
      reconnects_(Metric::counter(host, "patchbay_engine_reconnects_total",
                                  "Connections to an engine that were lost in mid-call and opened again",
                                  label(*engine_))),
      unsaid_(Metric::counter(host, "patchbay_engine_unsaid_total",
                              "Answers that an engine did not speak because its speech queue was full",
                              label(*engine_))),
      stalls_(Metric::counter(host, "patchbay_engine_stalls_total",
                              "Times an engine's thread was stuck in a task", label(*engine_))),
      lag_(Metric::gauge(host, "patchbay_engine_lag_seconds", "How long a task waits for an engine's thread",
                         label(*engine_))),
      drained_(std::make_shared<CallbackGate>()) {
  poll();
}

EngineHost::~EngineHost() { drained_->close(); }

Result<engine::Opened> EngineHost::open(const engine::Open& request) {
  if (stop_done_) return {Code::unavailable, "the server is stopping"};
  if (stalled_ms_ >= limits_.stall_ms)
    return {Code::unavailable, std::string(engine_->name()) + " does not respond: its thread is stuck"};
  const int64_t id = ++last_id_;
  auto session = std::make_unique<EngineSession>(host_, request, [this, id] { on_session_ended(id); });
  PB_TRY(session->open(*engine_, request));
  const engine::Opened opened = session->handles();
  sessions_.emplace(id, std::move(session));
  return opened;
}

void EngineHost::on_session_ended(int64_t id) {
  // Destroys the session in a later task, because the session called this function.
  post(host_, kMainStrand, [this, id] {
    const auto session = sessions_.find(id);
    if (session->second->is_stuck()) leak(std::move(session->second));
    sessions_.erase(session);
    if (sessions_.empty() && stop_done_) drain_thread();
  });
}

void EngineHost::poll() {
  check_thread();
  export_stats();
  timer_.after_ms(limits_.poll_ms, [this] { poll(); });
}

// Detects a stuck thread and fails its sessions on the main strand; otherwise their calls would stay silent.
void EngineHost::check_thread() {
  const IoWatch::Sample sample = thread_watch_.sample();
  stalled_ms_ = sample.waiting_ms;
  lag_.set(static_cast<double>(std::max(sample.waiting_ms, sample.lag_ms)) / 1000);
  if (stalled_ms_ < limits_.stall_ms) {
    if (std::exchange(stall_reported_, false))
      log_.warn("the engine's thread responds again", {{"engine", engine_->name()}, {"ms", sample.lag_ms}});
    return;
  }
  if (!std::exchange(stall_reported_, true)) {
    stalls_.add();
    log_.error("the engine's thread is stuck, new calls are refused",
               {{"engine", engine_->name()}, {"ms", stalled_ms_}, {"sessions", sessions_.size()}});
  }
  if (stalled_ms_ >= limits_.give_up_ms) fail_sessions();
}

void EngineHost::fail_sessions() {
  for (const auto& [id, session] : sessions_) session->fail("its thread is stuck");
}

void EngineHost::export_stats() {
  const auto increase = [](const std::atomic<int64_t>& now, int64_t& before) {
    const int64_t value = now.load(std::memory_order_relaxed);
    return static_cast<double>(value - std::exchange(before, value));
  };
  const EngineStats& stats = engine_->stats();
  sessions_metric_.set(static_cast<double>(sessions_.size()));
  queued_.set(static_cast<double>(stats.queued_ms.load(std::memory_order_relaxed)));
  dropped_.add(increase(stats.dropped_ms, exported_.dropped_ms));
  reply_dropped_.add(increase(stats.reply_dropped_ms, exported_.reply_dropped_ms));
  reconnects_.add(increase(stats.reconnects, exported_.reconnects));
  unsaid_.add(increase(stats.unsaid, exported_.unsaid));
}

void EngineHost::stop(Function<void(bool)> done) {
  service_.withdraw();
  stop_done_ = std::move(done);
  stop_limit_.after_ms(limits_.stop_ms, [this] {
    log_.error("the engine's thread is stuck and is leaked",
               {{"engine", engine_->name()}, {"sessions", sessions_.size()}});
    draining_ = true;
    drained_->close();
    if (sessions_.empty()) return complete_stop(false);
    fail_sessions();  // drain_thread() follows when the last one has closed
  });
  for (const auto& [id, session] : sessions_) session->close();
  if (sessions_.empty()) drain_thread();
}

// Completes stop() after the tasks that sessions have posted to the thread.
void EngineHost::drain_thread() {
  if (std::exchange(draining_, true)) return complete_stop(false);
  io_.post([gate = drained_, host = &host_, then = alive_.bind([this] { complete_stop(true); })] {
    gate->run([&] { post(*host, kMainStrand, then); });
  });
}

void EngineHost::complete_stop(bool thread_responds) {
  timer_.cancel();
  stop_limit_.cancel();
  if (!thread_responds) static_cast<void>(engine_.release());  // NOLINT(bugprone-unused-return-value)
  if (stop_done_) std::exchange(stop_done_, {})(thread_responds);
}

}  // namespace patchbay::lib
