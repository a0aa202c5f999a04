#include "outbound/scheduler.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <algorithm>
#include <utility>

#include "outbound/sealing.h"

namespace patchbay::ai_voice {
namespace {

constexpr uint32_t kClaimsAtOnce = 64;
constexpr int64_t kLeaseMs = 60'000;
constexpr int64_t kStoreAgainMs = 1000;   // after a store that could not be read or written
constexpr int64_t kHeldAgainMs = 30'000;  // if no slot that became free has woken the call before
constexpr uint32_t kMaxHeldTimes = 10;    // how often that pause grows
constexpr size_t kMaxHeldBack = 1000;     // calls that a free slot can wake
constexpr size_t kManyCalls = 20;

}  // namespace

Scheduler::Scheduler(const Host& host, const CallStore& store, const EngineRegistry& engines,
                     const Settings& settings, const CallMetrics& metrics)
    : host_(host),
      store_(store),
      engines_(engines),
      settings_(settings),
      metrics_(metrics),
      log_(host),
      recovery_(host, store, metrics) {
  metrics_.running(0);
}

void Scheduler::start() {
  engines_known_ns_ = host_.mono_ns() + EngineRegistry::kPatienceMs * 1'000'000;
  recovery_.start();
  worker_ = std::make_unique<JobWorker>(host_, CallStore::kDialJob, kClaimsAtOnce, kLeaseMs,
                                        [this](const Job& job) { claim(job); });
}

std::string_view Scheduler::limit_of(const std::string& tenant, const TenantSettings& settings) const {
  size_t claimed = 0;
  for (const auto& [host, count] : claiming_) claimed += count;
  if (attempts_.size() + claimed >= settings_.server().max_calls) return "server";
  const auto own = std::count_if(attempts_.begin(), attempts_.end(),
                                 [&](const auto& each) { return each.second->tenant() == tenant; });
  const auto at = claiming_.find(tenant);
  claimed = at == claiming_.end() ? 0 : at->second;
  return static_cast<size_t>(own) + claimed >= settings.max_concurrent_calls ? "tenant" : "";
}

std::shared_ptr<OutboundAttempt> Scheduler::find(const std::string& call_id) const {
  const auto at = attempts_.find(call_id);
  return at == attempts_.end() ? nullptr : at->second;
}

void Scheduler::claim(const Job& job) {
  store_.get(job.tenant, job.body, kMainStrand, alive_.bind([this, job](Result<Call> call) {
    if (call) return claim_call(job, std::move(*call));
    if (call.error().code == Code::not_found) return drop(job);
    later(job);
  }));
}

void Scheduler::claim_call(const Job& job, Call call) {
  const bool waits =
      call.owner_epoch == 0 && (call.status == status::kScheduled || call.status == status::kDispatching ||
                                call.status == status::kRetryPending);
  if (!waits) return drop(job);
  const TenantSettings* settings = settings_.tenant(call.tenant);
  if (settings == nullptr) return refuse(job, std::move(call), "the tenant is not configured any more");
  if (!worker_) return later(job);
  if (!limit_of(call.tenant, *settings).empty()) return hold_back(job);
  no_longer_held_back(job.body);
  const RegisteredEngine* engine = engines_.find(call.model);
  if (engine == nullptr && host_.mono_ns() < engines_known_ns_) {
    log_.with(call.call_id).debug("the call waits for its engine", {{"model", call.model}});
    return later(job);
  }
  if (engine == nullptr) return refuse(job, std::move(call), "no engine serves the model");
  auto key = unseal_key(host_, call);
  if (!key) return refuse(job, std::move(call), "the engine key cannot be read: " + key.error().text);

  if (call.status == status::kRetryPending) {
    ++call.attempt;
    --call.retries_left;
  }
  call.status = status::kDispatching;
  call.owner_epoch = host_.store->epoch(host_.self);
  call.dispatched_ms = host_.wall_ms();
  call.answered_ms = call.ended_ms = call.duration_sec = 0;
  call.ended_reason = call.error_detail = call.trunk_id = call.transcript_path = "";
  Transaction tx(host_);
  store_.claim(tx, call);
  tx.job_done(job.id, job.fence);
  // Nothing is sent before this is on disk, so that an attempt never dials twice.
  ++claiming_[call.tenant];
  std::move(tx).commit(alive_.bind([this, job, call, key = *std::move(key), engine = *engine,
                                    settings = *settings](const Commit& outcome) {
    if (--claiming_[call.tenant] == 0) claiming_.erase(call.tenant);
    if (outcome) return begin(call, key, engine, settings);
    look_idle();
    wake_held_back();
    if (outcome.code() == Code::conflict) return drop(job);
    later(job);
  }));
}

void Scheduler::begin(Call call, std::string api_key, const RegisteredEngine& engine,
                      const TenantSettings& settings) {
  const std::string id = call.call_id;
  AttemptInit init;
  init.call = std::move(call);
  init.api_key = std::move(api_key);
  init.greeting = settings.greeting;
  init.engine = engine.engine;
  init.ring_timeout_ms = settings.ring_timeout_ms;
  init.log_conversation = settings_.server().log_conversations;
  attempts_[id] = OutboundAttempt::start(host_, store_, metrics_, std::move(init),
                                         alive_.bind([this, id] { ended(id); }));
  if (stopping_) attempts_[id]->interrupt();
  metrics_.running(attempts_.size());
  most_running_ = std::max(most_running_, attempts_.size());
}

void Scheduler::ended(const std::string& call_id) {
  attempts_.erase(call_id);
  metrics_.running(attempts_.size());
  if (attempts_.empty()) give_memory_back();
  look_idle();
  wake_held_back();
}

// The allocator keeps what many calls at once have used, and would keep it until the next such peak.
void Scheduler::give_memory_back() {
  if (std::exchange(most_running_, 0) < kManyCalls) return;
#ifdef __GLIBC__
  static_cast<void>(post_worker(host_, [] { malloc_trim(0); }));
#endif
}

void Scheduler::look_idle() {
  if (attempts_.empty() && claiming_.empty() && idle_) std::exchange(idle_, {})();
}

// The slot that a call was woken for is still free when the call is no more.
void Scheduler::drop(const Job& job) {
  no_longer_held_back(job.body);
  Transaction tx(host_);
  tx.job_done(job.id, job.fence);
  std::move(tx).commit([](const Commit&) {});
  wake_held_back();
}

void Scheduler::later(const Job& job) { retry(job, kStoreAgainMs); }

void Scheduler::retry(const Job& job, int64_t delay_ms) {
  Transaction tx(host_);
  tx.job_retry(job.id, job.fence, host_.wall_ms() + delay_ms);
  std::move(tx).commit([](const Commit&) {});
}

// Until a slot is free. The pause is for calls beyond kMaxHeldBack and for limits that are raised meanwhile.
void Scheduler::hold_back(const Job& job) {
  const auto is_this = [&](const HeldBack& held) { return held.call_id == job.body; };
  const bool is_known = std::any_of(held_back_.begin(), held_back_.end(), is_this);
  if (!is_known && held_back_.size() < kMaxHeldBack) held_back_.push_back({job.tenant, job.body});
  retry(job, kHeldAgainMs * std::clamp<uint32_t>(job.tries, 1, kMaxHeldTimes));
}

void Scheduler::no_longer_held_back(const std::string& call_id) {
  std::erase_if(held_back_, [&](const HeldBack& held) { return held.call_id == call_id; });
}

// The call that has waited longest among those whose limits have room now. Another slot that becomes free
// wakes the next.
void Scheduler::wake_held_back() {
  if (!worker_) return;
  std::map<std::string, bool, std::less<>> has_room;  // by tenant
  const auto next = std::find_if(held_back_.begin(), held_back_.end(), [&](const HeldBack& held) {
    const auto [known, is_new] = has_room.try_emplace(held.tenant, true);
    const TenantSettings* settings = is_new ? settings_.tenant(held.tenant) : nullptr;
    if (settings != nullptr) known->second = limit_of(held.tenant, *settings).empty();
    return known->second;
  });
  if (next == held_back_.end()) return;
  const HeldBack held = std::move(*next);
  held_back_.erase(next);
  Transaction tx(host_);
  tx.job_add(CallStore::kDialJob, held.tenant, held.call_id, host_.wall_ms(), held.call_id);
  std::move(tx).commit([](const Commit&) {});
}

// A call that can never be dialled ends; it counts as an attempt that was not made.
void Scheduler::refuse(const Job& job, Call call, const std::string& why) {
  no_longer_held_back(job.body);
  Transaction tx(host_);
  tx.job_done(job.id, job.fence);
  if (call.status == status::kRetryPending) {
    ++call.attempt;
    --call.retries_left;
  }
  call.answered_ms = 0;
  call.owner_epoch = host_.store->epoch(host_.self);
  call.dispatched_ms = host_.wall_ms();
  store_.claim(tx, call);
  const Ending ending = Ending::refused(why);
  store_.finish(tx, call, ending, {}, host_.wall_ms());
  wake_held_back();
  std::move(tx).commit(alive_.bind([this, call, ending](const Commit& outcome) {
    if (outcome) metrics_.ended(call, ending);
    log_.with(call.call_id)
        .warn("the call cannot be dialled", {{"why", outcome ? ending.error_detail : outcome.error().text}});
  }));
}

void Scheduler::when_idle(Function<void()> done) {
  worker_.reset();
  if (idle_) std::exchange(idle_, {})();  // a drain that the stop has overtaken
  idle_ = std::move(done);
  look_idle();
}

void Scheduler::drain(Function<void()> done) { when_idle(std::move(done)); }

void Scheduler::stop(Function<void()> done) {
  stopping_ = true;
  for (const auto& [id, attempt] : attempts_) attempt->interrupt();
  when_idle(std::move(done));
}

}  // namespace patchbay::ai_voice
