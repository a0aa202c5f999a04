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

EngineHost::EngineHost(const Host& host, IoThreads& io, std::unique_ptr<Engine> engine, std::string models,
                       bool key_required, StallLimits limits)
    : host_(host),
      io_(io),
      log_(host),
      engine_(std::move(engine)),
      limits_(limits),
      service_(
          host, engine_->name(), std::move(models),
          [this](const engine::Open& request) { return open(request); }, key_required),
      threads_(io, limits),
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
  const auto thread = threads_.choose();
  if (!thread)
    return {Code::unavailable, std::string(engine_->name()) + " does not respond: its thread is stuck"};
  const int64_t id = ++last_id_;
  auto session = std::make_unique<EngineSession>(host_, request, [this, id] { on_session_ended(id); });
  PB_TRY(session->open(*engine_, io_[*thread], request));
  const engine::Opened opened = session->handles();
  sessions_.emplace(id, Entry{std::move(session), *thread});
  threads_.opened(*thread);
  return opened;
}

void EngineHost::on_session_ended(int64_t id) {
  // Destroys the session in a later task, because the session called this function.
  post(host_, kMainStrand, [this, id] {
    const auto ended = sessions_.find(id);
    Entry& entry = ended->second;
    if (entry.session->is_stuck()) leak(std::move(entry.session));
    threads_.closed(entry.thread);
    sessions_.erase(ended);
    if (sessions_.empty() && stop_done_) drain_threads();
  });
}

void EngineHost::poll() {
  check_threads();
  export_stats();
  timer_.after_ms(limits_.poll_ms, [this] { poll(); });
}

// Fails the sessions of a stuck thread on the main strand; otherwise their calls would stay silent.
void EngineHost::check_threads() {
  const SessionThreads::Check found = threads_.check();
  lag_.set(static_cast<double>(found.lag_ms) / 1000);
  for (const SessionThreads::Stall& stall : found.changes) {
    if (!stall.stuck) {
      log_.warn("the engine's thread responds again",
                {{"engine", engine_->name()}, {"thread", stall.thread}, {"ms", stall.ms}});
      continue;
    }
    stalls_.add();
    log_.error("the engine's thread is stuck and gets no new calls", {{"engine", engine_->name()},
                                                                      {"thread", stall.thread},
                                                                      {"ms", stall.ms},
                                                                      {"sessions", stall.sessions}});
  }
  for (const size_t thread : found.given_up) fail_sessions(thread);
}

// Of one thread, or all.
void EngineHost::fail_sessions(std::optional<size_t> thread) {
  for (const auto& [id, entry] : sessions_)
    if (!thread || entry.thread == *thread) entry.session->fail("its thread is stuck");
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
    fail_sessions();  // drain_threads() follows when the last one has closed
  });
  for (const auto& [id, entry] : sessions_) entry.session->close();
  if (sessions_.empty()) drain_threads();
}

// Completes stop() after the tasks that sessions have posted to the threads.
void EngineHost::drain_threads() {
  if (std::exchange(draining_, true)) return complete_stop(false);
  undrained_ = io_.size();
  for (size_t i = 0; i < io_.size(); ++i)
    io_[i].post([gate = drained_, host = &host_, then = alive_.bind([this] { on_thread_drained(); })] {
      gate->run([&] { post(*host, kMainStrand, then); });
    });
}

void EngineHost::on_thread_drained() {
  if (--undrained_ == 0) complete_stop(true);
}

void EngineHost::complete_stop(bool threads_respond) {
  timer_.cancel();
  stop_limit_.cancel();
  if (!threads_respond) static_cast<void>(engine_.release());  // NOLINT(bugprone-unused-return-value)
  if (stop_done_) std::exchange(stop_done_, {})(threads_respond);
}

}  // namespace patchbay::lib
