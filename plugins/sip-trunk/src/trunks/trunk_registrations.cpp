#include "trunks/trunk_registrations.h"

#include <patchbay/random_id.h>

#include <algorithm>
#include <utility>

#include "dialogs/invite.h"
#include "random64.h"
#include "stack/sip_limits.h"

namespace patchbay::sip_trunk {
namespace {

// An answer that another address of the trunk would not change.
bool is_decided(const TrunkAnswer& answer) { return answer.status != 0 && answer.status < 500; }

// Sooner than it ends, because a lost REGISTER needs time for another one.
int64_t refresh_ms(int64_t granted_sec) {
  return std::max<int64_t>(granted_sec * 800, (granted_sec - kRegisterMarginSec) * 1000);
}

// RFC 5626 section 4.5: doubled with each failure, and spread, so that not all clients of a trunk come at
// once.
int64_t retry_ms(uint32_t failures) {
  const int64_t most =
      std::min(kMaxRegisterRetryMs, kFirstRegisterRetryMs << std::min<uint32_t>(failures - 1, 16));
  return most / 2 + static_cast<int64_t>(random64() % static_cast<uint64_t>(most / 2 + 1));
}

}  // namespace

TrunkRegistrations::TrunkRegistrations(const Host& host, Resolver& resolver)
    : host_(host), resolver_(resolver), log_(host), timer_(host) {}

void TrunkRegistrations::configure(const Settings& settings) {
  family_ = settings.family();
  timeout_ms_ = settings.server.silence_timeout_ms;
  std::map<TrunkKey, Entry> next;
  for (const auto& [tenant, trunks] : settings.tenants)
    for (const auto& [id, trunk] : trunks.trunks) {
      if (!trunk.registers) continue;
      const TrunkKey key{tenant, id};
      const auto known = entries_.find(key);
      if (known != entries_.end() && known->second.trunk.is_same_account(trunk)) {
        Entry& kept = next[key] = std::move(known->second);
        entries_.erase(known);
        if (!kept.trunk.is_same_place(trunk)) kept.due_ms = 0;
        kept.trunk = trunk;
        kept.wanted_sec = trunk.register_sec;
        continue;
      }
      Entry& entry = next[key];
      entry.trunk = trunk;
      entry.wanted_sec = trunk.register_sec;
      entry.call_id = random_id({}, 24).ok() ? *random_id({}, 24) : key.trunk_id;
    }
  for (auto& [key, entry] : entries_) {
    end(entry);
    if (next.count(key) == 0) show(key, State::none);
  }
  entries_ = std::move(next);
  look();
}

void TrunkRegistrations::stop(Function<void()> done) {
  timer_.cancel();
  for (auto& [key, entry] : entries_) end(entry);
  entries_.clear();
  stack_ = nullptr;
  if (ending_.empty()) return done();
  on_ended_ = std::move(done);
  timer_.after_ms(kMaxRegisterEndMs, [this] {
    ending_.clear();
    std::exchange(on_ended_, {})();
  });
}

TrunkRegistrations::View TrunkRegistrations::view(const TrunkKey& trunk) const {
  const auto at = entries_.find(trunk);
  if (at == entries_.end()) return {};
  const Entry& entry = at->second;
  const int64_t to_wall = host_.wall_ms() - now_ms();
  return {entry.state, entry.why, entry.state == State::registered ? entry.until_ms + to_wall : 0,
          entry.state == State::failed ? entry.due_ms + to_wall : 0};
}

void TrunkRegistrations::look() {
  if (stack_ == nullptr) return;
  for (auto& [key, entry] : entries_)
    if (!entry.is_pending && now_ms() >= entry.due_ms) send(key, entry);
  if (!entries_.empty()) timer_.after_ms(kRegisterPollMs, [this] { look(); });
}

void TrunkRegistrations::send(const TrunkKey& key, Entry& entry) {
  entry.is_pending = true;
  if (!entry.exchange) entry.exchange = std::make_unique<TrunkExchange>(host_, resolver_, log_);
  entry.exchange->start(
      *stack_, entry.trunk, family_, timeout_ms_,
      [call_id = entry.call_id, sequence = entry.sequence, wanted = entry.wanted_sec](
          const TrunkAccess& trunk, const Target& target) {
        return make_register(trunk, target, call_id, sequence, wanted);
      },
      is_decided, [this, key](const TrunkAnswer& answer) { on_answer(key, answer); });
}

void TrunkRegistrations::end(Entry& entry) {
  if (entry.state != State::registered || stack_ == nullptr) return;
  // Beyond the numbers of a REGISTER whose answer has not come.
  const uint32_t sequence = entry.sequence + 2 * (kMaxCredentialTries + 1);
  const int64_t id = ++last_ending_;
  auto& exchange = ending_[id] = std::make_unique<TrunkExchange>(host_, resolver_, log_);
  exchange->start(
      *stack_, entry.trunk, family_, timeout_ms_,
      [call_id = entry.call_id, sequence](const TrunkAccess& trunk, const Target& target) {
        return make_register(trunk, target, call_id, sequence, 0);
      },
      is_decided, [this, id](const TrunkAnswer&) { on_end(id); });
}

// Later, because the exchange is calling this.
void TrunkRegistrations::on_end(int64_t id) {
  post(host_, kMainStrand, alive_.bind([this, id] {
    ending_.erase(id);
    if (!ending_.empty() || !on_ended_) return;
    timer_.cancel();
    std::exchange(on_ended_, {})();
  }));
}

void TrunkRegistrations::on_answer(const TrunkKey& key, const TrunkAnswer& answer) {
  const auto at = entries_.find(key);
  if (at == entries_.end()) return;
  Entry& entry = at->second;
  entry.is_pending = false;
  entry.sequence = std::max(entry.sequence + 1, answer.sequence);
  if (answer.status / 100 != 2) return on_failure(key, entry, answer);
  if (answer.expires_sec == 0) {
    TrunkAnswer failed = answer;
    failed.text = "but the trunk keeps no contact of ours";
    return on_failure(key, entry, failed);
  }
  const int64_t granted = std::clamp(answer.expires_sec > 0 ? answer.expires_sec : entry.wanted_sec,
                                     kMinRegisteredSec, entry.wanted_sec);
  if (entry.state != State::registered)
    log_.info("registered at a trunk",
              {{"tenant", key.tenant}, {"trunk", key.trunk_id}, {"for-sec", granted}});
  entry.state = State::registered;
  entry.why.clear();
  entry.failures = 0;
  entry.until_ms = now_ms() + granted * 1000;
  entry.due_ms = now_ms() + refresh_ms(granted);
  show(key, entry.state);
}

void TrunkRegistrations::on_failure(const TrunkKey& key, Entry& entry, const TrunkAnswer& answer) {
  if (answer.status == 423 && answer.min_expires_sec > entry.wanted_sec &&
      answer.min_expires_sec <= kMaxRegisterSec) {  // RFC 3261 section 10.2.8
    entry.wanted_sec = answer.min_expires_sec;
    return send(key, entry);
  }
  entry.why = (answer.status != 0 ? std::to_string(answer.status) + " " : "") + answer.text;
  entry.due_ms = now_ms() + retry_ms(++entry.failures);
  // Until it ends, calls still come.
  const bool still_counts = entry.state == State::registered && now_ms() < entry.until_ms;
  if (still_counts)
    entry.due_ms = std::min(entry.due_ms, std::max(now_ms() + kFirstRegisterRetryMs / 2, entry.until_ms));
  if (!still_counts) entry.state = State::failed;
  log_.warn("a trunk does not register us",
            {{"tenant", key.tenant}, {"trunk", key.trunk_id}, {"why", entry.why}});
  show(key, entry.state);
}

void TrunkRegistrations::show(const TrunkKey& key, State state) const {
  Metric::gauge(host_, "patchbay_sip_trunk_registered", "1 while our account is registered at the trunk",
                {{"tenant", key.tenant}, {"trunk", key.trunk_id}})
      .set(state == State::registered ? 1 : 0);
}

}  // namespace patchbay::sip_trunk
