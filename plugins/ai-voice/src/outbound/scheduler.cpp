#include "outbound/scheduler.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <algorithm>
#include <cmath>
#include <utility>

#include "outbound/api_key_sealing.h"
#include "outbound/limits.h"

namespace patchbay::ai_voice {
namespace {

constexpr int64_t kRegistrationNs = kEngineRegistrationMs * 1'000'000;
constexpr int64_t kRefusalsEndNs = kRefusalsEndMs * 1'000'000;

int64_t percent(double share) { return static_cast<int64_t>(std::lround(100 * share)); }

// "callsPerSecond (0.5) of the tenant".
std::string limit_text(const char* setting, double value, const char* whose) {
  return setting + std::string(" (") + JsonWriter().value(value).str() + ") of the " + whose;
}

}  // namespace

Scheduler::Scheduler(const Host& host, const CallStore& store, const EngineRegistry& engines,
                     const Settings& settings, const CallMetrics& metrics, EndWriter& end_writer,
                     const InboundUse& inbound)
    : host_(host),
      store_(store),
      engines_(engines),
      settings_(settings),
      metrics_(metrics),
      end_writer_(end_writer),
      inbound_(inbound),
      log_(host),
      writer_(host, store, end_writer),
      recovery_(host, store, metrics, writer_),
      ownership_(
          host, store, [this] { return attempt_ids(); }, [this](const std::string& id) { lose(id); },
          [this](const std::string& id) { hang_up(id); }),
      load_timer_(host),
      rate_timer_(host),
      slot_timer_(host),
      reserved_timer_(host),
      telephony_(host) {
  metrics_.running(0);
}

void Scheduler::start() {
  first_registration_ends_ns_ = host_.mono_ns() + kRegistrationNs;
  sample_load();
  recovery_.start();
  ownership_.start();
  worker_ = std::make_unique<JobWorker>(host_, CallStore::kDialJob, kMaxClaims, kJobLeaseMs,
                                        [this](const Job& job) { claim(job); });
}

StartLimit Scheduler::reached_limit(const std::string& tenant, const TenantSettings& settings) const {
  StartLimit limit = reached_slots(tenant, settings);
  return limit ? limit : reached_rate(tenant, settings);
}

StartLimit Scheduler::reached_slots(const std::string& tenant, const TenantSettings& settings) const {
  const size_t max_calls = settings_.server().max_calls;
  if (running() >= max_calls)
    return {"server", limit_text("maxCalls", static_cast<double>(max_calls), "server"), 0};
  const auto own = std::count_if(attempts_.begin(), attempts_.end(),
                                 [&](const auto& each) { return each.second->tenant() == tenant; });
  const auto at = claiming_.find(tenant);
  const size_t claimed = at == claiming_.end() ? 0 : at->second;
  if (static_cast<size_t>(own) + claimed + inbound_.of(tenant) < settings.max_concurrent_calls) return {};
  const auto value = static_cast<double>(settings.max_concurrent_calls);
  return {"tenant", limit_text("maxConcurrentCalls", value, "tenant"), 0};
}

StartLimit Scheduler::reached_rate(const std::string& tenant, const TenantSettings& settings) const {
  const int64_t wait_ns = rate_.wait_ns(tenant, settings.calls_per_second, host_.mono_ns());
  if (wait_ns == 0) return {};
  return {"rate", limit_text("callsPerSecond", settings.calls_per_second, "tenant"), wait_ns};
}

void Scheduler::count_start(const std::string& tenant, const TenantSettings& settings) {
  rate_.take(tenant, settings.calls_per_second, host_.mono_ns());
}

void Scheduler::reserve_trunk(const Call& call, Function<void(const StartLimit&)> done) {
  if (!telephony_.up()) return done({});
  watch_reserved(call);
  telephony_.call(telephony::Telephony::reserve, {call.call_id, call.tenant, call.phone},
                  [done = std::move(done)](const Result<telephony::Reserved>& reserved) {
                    // Without an answer dial() decides.
                    if (!reserved || reserved->granted) return done({});
                    done({"trunk", reserved->detail, reserved->retry_ms * 1'000'000});
                  });
}

void Scheduler::release_trunk(const std::string& call_id) {
  reserved_.erase(call_id);
  if (telephony_.up()) telephony_.call(telephony::Telephony::release, {call_id}, [](const Result<Empty>&) {});
}

size_t Scheduler::running() const {
  size_t running = attempts_.size() + inbound_.total();
  for (const auto& [tenant, count] : claiming_) running += count;
  return running;
}

size_t Scheduler::room() const { return load_.room(settings_.server().max_load_percent, running()); }

std::string_view Scheduler::admit() {
  const std::string_view limit = load_.admit(settings_.server().max_load_percent, running());
  if (!limit.empty()) count_refusal(limit);
  // The next sample ends the count of this call, which may never run, or starts the calls held by then.
  if (!load_timer_.armed()) load_timer_.after_ms(kLoadSampleMs, [this] { sample_load(); });
  return limit;
}

// Logs the first one only, because many requests may follow.
void Scheduler::count_refusal(std::string_view limit) {
  metrics_.limited(limit);
  last_refusal_ns_ = host_.mono_ns();
  if (refusals_++ > 0) return;
  log_.warn("no further call starts: the processors are at their limit",
            {{"limit", limit},
             {"loadPercent", percent(load_.load())},
             {"maxLoadPercent", settings_.server().max_load_percent},
             {"cores", load_.cores()},
             {"lateTicksPercent", percent(load_.late_ticks())},
             {"coreWaitUs", std::lround(load_.wait_ns() / 1000)}});
}

void Scheduler::end_refusals() {
  const bool is_over = running() == 0 || host_.mono_ns() - last_refusal_ns_ > kRefusalsEndNs;
  if (refusals_ == 0 || !is_over) return;
  log_.info("calls start again", {{"refusedOrDelayed", std::exchange(refusals_, 0)}});
}

// Samples only while attempts run, and once after a call was admitted or refused, so that an idle server does
// not wake up.
void Scheduler::sample_load() {
  const auto talking = std::count_if(attempts_.begin(), attempts_.end(),
                                     [](const auto& each) { return each.second->talking(); });
  if (running() == 0) {
    load_.idle(ServerLoad::read(host_));
  } else {
    load_.sample(ServerLoad::read(host_), static_cast<size_t>(talking) + inbound_.talking());
    load_timer_.after_ms(kLoadSampleMs, [this] { sample_load(); });
  }
  metrics_.load(load_.load(), static_cast<double>(settings_.server().max_load_percent) / 100);
  metrics_.lateness(load_.late_ticks(), load_.wait_ns());
  end_refusals();
  for (size_t count = std::min({room(), held_calls_.size(), size_t{kMaxClaims}}); count > 0; --count)
    start_held_call(Held::for_load);
}

std::shared_ptr<OutboundAttempt> Scheduler::find(const std::string& call_id) const {
  const auto at = attempts_.find(call_id);
  return at == attempts_.end() ? nullptr : at->second;
}

std::vector<std::string> Scheduler::attempt_ids() const {
  std::vector<std::string> ids;
  for (const auto& [id, attempt] : attempts_) ids.push_back(id);
  return ids;
}

void Scheduler::lose(const std::string& call_id) {
  if (const auto attempt = find(call_id)) attempt->lose();
}

void Scheduler::hang_up(const std::string& call_id) {
  if (const auto attempt = find(call_id)) attempt->cancel([] {});
}

void Scheduler::claim(const Job& job) {
  store_.get(job.tenant, job.body, kMainStrand, alive_.bind([this, job](Result<Call> call) {
    if (call) return claim_call(job, std::move(*call));
    if (call.error().code == Code::not_found) return complete_job(job);
    postpone_briefly(job);
  }));
}

int64_t Scheduler::registration_ends_ns(const RegisteredEngine* engine) const {
  if (engine == nullptr) return first_registration_ends_ns_;
  return engine->ended_ns == 0 ? 0 : engine->ended_ns + kRegistrationNs;
}

void Scheduler::claim_call(const Job& job, Call call) {
  const bool waits =
      call.owner_run == 0 && (call.status == status::kScheduled || call.status == status::kDispatching ||
                              call.status == status::kRetryPending);
  if (!waits) return complete_job(job);
  const TenantSettings* settings = settings_.tenant(call.tenant);
  if (settings == nullptr) return fail_call(job, std::move(call), "the tenant is no longer configured");
  if (!worker_) return postpone_briefly(job);
  const bool was_admitted = call.status == status::kDispatching;  // when it was created
  if (const StartLimit limit = reached_slots(call.tenant, *settings))
    return hold(job, call, Held::for_slot, limit);
  const StartLimit rate = was_admitted ? StartLimit() : reached_rate(call.tenant, *settings);
  if (rate) return hold(job, call, Held::for_rate, rate);
  const RegisteredEngine* engine = engines_.find(call.model);
  if (host_.mono_ns() < registration_ends_ns(engine)) {
    log_.with(call.call_id).debug("the call waits for its engine", {{"model", call.model}});
    return postpone_briefly(job);
  }
  if (engine == nullptr) return fail_call(job, std::move(call), "no engine serves the model");
  auto key = unseal_key(host_, call);
  if (!key) return fail_call(job, std::move(call), "the API key cannot be decrypted: " + key.error().text);
  if (!was_admitted) {
    const std::string_view load = admit();
    if (!load.empty()) return hold(job, call, Held::for_load, {load, "maxLoadPercent of the server", 0});
    count_start(call.tenant, *settings);
  }
  auto claim = std::make_shared<Claim>(
      Claim{job, std::move(call), *std::move(key), *engine, *settings, !was_admitted});
  ++claiming_[claim->call.tenant];
  // Shared, because a Function cannot own what is moved out of it.
  reserve_trunk(claim->call, [this, claim](const StartLimit& limit) {
    if (limit) return on_trunk_limit(*claim, limit);
    commit_claim(std::move(*claim));
  });
}

// Tries the calls that wait behind this one, because their trunks may be free.
void Scheduler::on_trunk_limit(const Claim& claim, const StartLimit& limit) {
  if (claim.takes_rate) rate_.give_back(claim.call.tenant, claim.settings.calls_per_second);
  hold(claim.job, claim.call, limit.pause_ns > 0 ? Held::for_rate : Held::for_trunk, limit);
  end_claim(claim.call.tenant);
  start_held_call_after(claim.job.body);
}

void Scheduler::end_claim(const std::string& tenant) {
  if (--claiming_[tenant] == 0) claiming_.erase(tenant);
  notify_if_idle();
}

void Scheduler::commit_claim(Claim claim) {
  Call& call = claim.call;
  if (call.status == status::kRetryPending) {
    ++call.attempt;
    --call.retries_left;
  }
  call.status = status::kDispatching;
  store_.take(call);
  call.dispatched_ms = host_.wall_ms();
  call.answered_ms = call.ended_ms = call.duration_sec = 0;
  call.ended_reason = call.error_detail = call.trunk_id = call.transcript_path = "";
  call.rtp_received = call.rtp_lost = call.rtp_jitter_us = call.rtp_round_trip_us = call.rtp_delay_ms = 0;
  call.rtp_far_lost_percent = -1;
  Transaction tx(host_);
  add_shared_limits(tx, claim);
  store_.claim(tx, call);
  tx.job_done(claim.job.id, claim.job.fence);
  // Nothing is sent before the claim is stored, so that no attempt is dialled twice.
  std::move(tx).commit(alive_.bind([this, claim = std::move(claim)](const Commit& outcome) {
    const std::string& tenant = claim.call.tenant;
    if (--claiming_[tenant] == 0) claiming_.erase(tenant);
    if (!outcome) return on_claim_refused(claim, outcome);
    release_held(claim.job.body);
    reserved_.erase(claim.job.body);
    start_attempt(claim.call, claim.api_key, claim.engine, claim.settings);
  }));
}

void Scheduler::on_claim_refused(const Claim& claim, const Commit& outcome) {
  notify_if_idle();
  release_trunk(claim.call.call_id);
  if (const StartLimit limit = shared_limit(claim, outcome)) {
    if (claim.takes_rate) rate_.give_back(claim.call.tenant, claim.settings.calls_per_second);
    return hold(claim.job, claim.call, limit.pause_ns > 0 ? Held::for_rate : Held::for_slot, limit);
  }
  release_held(claim.job.body);
  start_held_call();
  if (outcome.code() == Code::conflict) return complete_job(claim.job);
  postpone_briefly(claim.job);
}

// The first operations of the claim, in the order that shared_limit() expects. One server alone counts in
// memory, which is exact and costs less.
void Scheduler::add_shared_limits(Transaction& tx, const Claim& claim) const {
  if (!store_.owner().is_shared) return;
  const TenantSettings& settings = claim.settings;
  store_.check_slot(tx, claim.call.tenant, settings.max_concurrent_calls);
  const int64_t interval_ns = StartRate::interval_ns(settings.calls_per_second);
  if (interval_ns > 0)
    store_.take_start(tx, claim.call.tenant, interval_ns / 1'000'000, claim.call.dispatched_ms);
}

StartLimit Scheduler::shared_limit(const Claim& claim, const Commit& outcome) const {
  if (!store_.owner().is_shared || outcome.code() != Code::conflict) return {};
  const TenantSettings& settings = claim.settings;
  const auto max_calls = static_cast<double>(settings.max_concurrent_calls);
  if (outcome.failed_operation() == 0)
    return {"tenant", limit_text("maxConcurrentCalls", max_calls, "tenant"), 0};
  const int64_t interval_ns = StartRate::interval_ns(settings.calls_per_second);
  if (outcome.failed_operation() != 1 || interval_ns == 0) return {};
  return {"rate", limit_text("callsPerSecond", settings.calls_per_second, "tenant"), interval_ns};
}

void Scheduler::start_attempt(Call call, std::string api_key, const RegisteredEngine& engine,
                              const TenantSettings& settings) {
  const std::string id = call.call_id;
  AttemptInit init;
  init.call = std::move(call);
  init.api_key = std::move(api_key);
  init.greeting = settings.greeting;
  init.engine = engine.engine;
  init.ring_timeout_ms = settings.ring_timeout_ms;
  init.transfer_users = settings.transfer_users;
  init.log_conversation = settings_.server().log_conversations;
  attempts_[id] = OutboundAttempt::start(host_, store_, metrics_, writer_, std::move(init),
                                         alive_.bind([this, id] { on_attempt_ended(id); }));
  if (stopping_) attempts_[id]->interrupt();
  metrics_.running(attempts_.size());
  max_running_ = std::max(max_running_, attempts_.size());
  if (attempts_.size() == 1) sample_load();
}

void Scheduler::on_attempt_ended(const std::string& call_id) {
  attempts_.erase(call_id);
  metrics_.running(attempts_.size());
  if (attempts_.empty()) trim_memory();
  notify_if_idle();
  on_slot_free();
}

void Scheduler::on_slot_free() {
  trunk_probes_ = 0;
  start_held_call();
}

// Returns memory of a peak to the system, because the allocator would keep it until the next peak.
void Scheduler::trim_memory() {
  if (std::exchange(max_running_, 0) < kTrimAfterAttempts) return;
#ifdef __GLIBC__
  static_cast<void>(post_worker(host_, [] { malloc_trim(0); }));
#endif
}

void Scheduler::notify_if_idle() {
  if (attempts_.empty() && claiming_.empty() && on_idle_) std::exchange(on_idle_, {})();
}

// Ends the job of a call that needs no attempt. Starts another held call in the slot that stays free.
void Scheduler::complete_job(const Job& job) {
  release_held(job.body);
  Transaction tx(host_);
  tx.job_done(job.id, job.fence);
  std::move(tx).commit([](const Commit&) {});
  start_held_call();
}

void Scheduler::postpone_briefly(const Job& job) { postpone(job, kBriefPauseMs); }

void Scheduler::postpone(const Job& job, int64_t delay_ms) {
  Transaction tx(host_);
  tx.job_retry(job.id, job.fence, host_.wall_ms() + delay_ms);
  std::move(tx).commit([](const Commit&) {});
}

// Ends a call that can never be dialled. Counts as an attempt.
void Scheduler::fail_call(const Job& job, Call call, const std::string& why) {
  release_held(job.body);
  Transaction tx(host_);
  tx.job_done(job.id, job.fence);
  if (call.status == status::kRetryPending) {
    ++call.attempt;
    --call.retries_left;
  }
  call.answered_ms = 0;
  store_.take(call);
  call.dispatched_ms = host_.wall_ms();
  store_.claim(tx, call);
  const Ending ending = Ending::refused(why);
  store_.end_attempt(tx, call, ending, {}, host_.wall_ms());
  start_held_call();
  std::move(tx).commit(alive_.bind([this, call, ending](const Commit& outcome) {
    if (outcome) metrics_.ended(call, ending);
    log_.with(call.call_id)
        .warn("the call cannot be dialled", {{"why", outcome ? ending.error_detail : outcome.error().text}});
  }));
}

void Scheduler::stop_claiming(Function<void()> done) {
  worker_.reset();
  if (on_idle_) std::exchange(on_idle_, {})();  // of a drain() before this stop()
  on_idle_ = std::move(done);
  notify_if_idle();
}

void Scheduler::drain(Function<void()> done) { stop_claiming(std::move(done)); }

void Scheduler::stop(Function<void()> done) {
  stopping_ = true;
  end_writer_.stop_waiting();
  for (const auto& [id, attempt] : attempts_) attempt->interrupt();
  stop_claiming(std::move(done));
}

}  // namespace patchbay::ai_voice
