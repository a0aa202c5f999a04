// Scheduler's held calls: those that wait for a limit, and how they start once it lets them.
#include <algorithm>
#include <set>
#include <utility>

#include "outbound/limits.h"
#include "outbound/scheduler.h"

namespace patchbay::ai_voice {
namespace {

constexpr int64_t kMinRatePauseNs = 1'000'000;  // the timer's resolution

}  // namespace

// Holds the call until the limit lets it start. The retry is for calls beyond kMaxHeldCalls and for limits
// raised meanwhile. The record of the call shows the limit; it is written only when it differs.
void Scheduler::hold(const Job& job, const Call& call, Held why, const StartLimit& limit) {
  const auto known = std::find_if(held_calls_.begin(), held_calls_.end(),
                                  [&](const HeldCall& held) { return held.call_id == job.body; });
  const bool is_first = known == held_calls_.end() && job.tries <= 1;
  if (is_first && why != Held::for_load) metrics_.limited(limit.label);  // admit() counts those of the load
  if (is_first) log_.with(job.body).info("the call waits", {{"tenant", job.tenant}, {"limit", limit.text}});
  if (known != held_calls_.end()) {
    *known = {job.tenant, job.body, why, limit.pause_ns};
  } else {
    if (held_calls_.size() < kMaxHeldCalls)
      held_calls_.push_back({job.tenant, job.body, why, limit.pause_ns});
  }
  forget_started();
  if (why == Held::for_rate) arm_rate_timer(limit.pause_ns);
  if (why == Held::for_slot) arm_slot_timer();
  Transaction tx(host_);
  const int64_t pause_ms = kHeldPauseMs * std::clamp<uint32_t>(job.tries, 1, kMaxPauseFactor);
  tx.job_retry(job.id, job.fence, host_.wall_ms() + pause_ms);
  if (call.waits_for != limit.text) store_.set_waits_for(tx, call, limit.text);
  std::move(tx).commit([](const Commit&) {});
}

// Removes started calls that another server on the database has claimed. Here they would have been claimed,
// or held again, by then.
void Scheduler::forget_started() {
  const int64_t before_ns = host_.mono_ns() - kStartedHeldMs * 1'000'000;
  std::erase_if(held_calls_, [before_ns](const HeldCall& held) {
    return held.started_ns != 0 && held.started_ns < before_ns;
  });
}

void Scheduler::release_held(const std::string& call_id) {
  std::erase_if(held_calls_, [&](const HeldCall& held) { return held.call_id == call_id; });
}

// Whether its limits let the held call start. `has_room` keeps what is known of each tenant.
bool Scheduler::is_startable(const HeldCall& held, std::map<std::string, bool, std::less<>>& has_room) const {
  if (held.started_ns != 0) return false;
  const auto [known, is_new] = has_room.try_emplace(held.tenant, true);
  const TenantSettings* settings = is_new ? settings_.tenant(held.tenant) : nullptr;
  if (settings != nullptr) known->second = !reached_limit(held.tenant, *settings);
  return known->second;
}

// Starts the call that has waited longest among those within their limits. The next free slot starts the next
// one. It stays in the list until it is claimed, so that it keeps its place if a limit is reached before.
void Scheduler::start_held_call(std::optional<Held> why) {
  if (!worker_) return;
  const bool load_has_room = room() > 0;
  std::map<std::string, bool, std::less<>> has_room;  // by tenant
  const auto next = std::find_if(held_calls_.begin(), held_calls_.end(), [&](const HeldCall& held) {
    if (why && held.why != *why) return false;
    if (held.why == Held::for_load && !load_has_room) return false;
    return is_startable(held, has_room);
  });
  if (next != held_calls_.end()) start(*next);
}

void Scheduler::start_held_call_after(const std::string& call_id) {
  if (!worker_ || ++trunk_probes_ > kMaxTrunkProbes) return;
  auto next = std::find_if(held_calls_.begin(), held_calls_.end(),
                           [&](const HeldCall& held) { return held.call_id == call_id; });
  if (next == held_calls_.end()) return;
  std::map<std::string, bool, std::less<>> has_room;
  next = std::find_if(next + 1, held_calls_.end(), [&](const HeldCall& held) {
    return held.why == Held::for_trunk && is_startable(held, has_room);
  });
  if (next != held_calls_.end()) start(*next);
}

void Scheduler::start(HeldCall& held) {
  held.started_ns = host_.mono_ns();
  Transaction tx(host_);
  tx.job_add(CallStore::kDialJob, held.tenant, held.call_id, host_.wall_ms(), held.call_id);
  std::move(tx).commit([](const Commit&) {});
}

void Scheduler::arm_rate_timer(int64_t pause_ns) {
  if (rate_timer_.armed()) return;
  rate_timer_.after_ms((pause_ns + 999'999) / 1'000'000, [this] { start_rated_calls(); });
}

// Starts the first call of each tenant that waits for a rate; the timer starts the others.
void Scheduler::start_rated_calls() {
  if (!worker_) return;
  std::map<std::string, bool, std::less<>> has_room;
  std::set<std::string_view> started;
  int64_t pause_ns = 0;
  for (HeldCall& held : held_calls_) {
    if (held.why != Held::for_rate || held.started_ns != 0) continue;
    if (started.count(held.tenant) == 0 && is_startable(held, has_room)) {
      started.insert(held.tenant);
      start(held);
      continue;
    }
    const TenantSettings* settings = settings_.tenant(held.tenant);
    const int64_t of_tenant = settings == nullptr ? 0 : StartRate::interval_ns(settings->calls_per_second);
    const int64_t own = std::max({of_tenant, held.pause_ns, kMinRatePauseNs});
    pause_ns = pause_ns == 0 ? own : std::min(pause_ns, own);
  }
  if (pause_ns > 0) arm_rate_timer(pause_ns);
}

// The place of a call that is created here and claimed by another server would stay reserved until it
// expires.
void Scheduler::watch_reserved(const Call& call) {
  if (!store_.owner().is_shared) return;
  reserved_[call.call_id] = {call.tenant, host_.mono_ns()};
  if (!reserved_timer_.armed()) reserved_timer_.after_ms(kSharedSlotMs, [this] { check_reserved(); });
}

void Scheduler::check_reserved() {
  const int64_t expired_ns = host_.mono_ns() - kReservedMs * 1'000'000;
  std::erase_if(reserved_, [expired_ns](const auto& each) { return each.second.since_ns < expired_ns; });
  for (const auto& [id, reserved] : reserved_)
    store_.get(reserved.tenant, id, kMainStrand, alive_.bind([this, id = id](const Result<Call>& call) {
      // Not stored yet, or not claimed.
      if (!call || (call->owner_run == 0 && !is_final(call->status))) return;
      if (call->owner_run != store_.owner().run && reserved_.count(id) != 0) release_trunk(id);
    }));
  if (!reserved_.empty()) reserved_timer_.after_ms(kSharedSlotMs, [this] { check_reserved(); });
}

// Calls of other servers end without notice, so one call a second tries.
void Scheduler::arm_slot_timer() {
  if (!store_.owner().is_shared || slot_timer_.armed()) return;
  slot_timer_.after_ms(kSharedSlotMs, [this] {
    forget_started();
    start_held_call(Held::for_slot);
    const bool more = std::any_of(held_calls_.begin(), held_calls_.end(),
                                  [](const HeldCall& held) { return held.why == Held::for_slot; });
    if (more) arm_slot_timer();
  });
}

}  // namespace patchbay::ai_voice
