#include "trunks/trunk_health.h"

#include <patchbay/utc.h>

#include <utility>

#include "dialogs/invite.h"
#include "stack/sip_limits.h"

namespace patchbay::sip_trunk {
namespace {

bool is_alive(const TrunkAnswer& answer) {
  return answer.status != 0 && answer.status != 408 && answer.status != 503;
}

}  // namespace

TrunkHealth::TrunkHealth(const Host& host, Resolver& resolver)
    : host_(host), resolver_(resolver), log_(host), timer_(host) {}

void TrunkHealth::configure(const Settings& settings) {
  family_ = settings.family();
  timeout_ms_ = settings.server.silence_timeout_ms;
  std::map<TrunkKey, Entry> next;
  for (const auto& [tenant, trunks] : settings.tenants)
    for (const auto& [id, trunk] : trunks.trunks) {
      const TrunkKey key{tenant, id};
      const auto known = entries_.find(key);
      Entry& entry = next[key];
      if (known != entries_.end() && known->second.trunk.is_same_place(trunk))
        entry = std::move(known->second);
      else
        entry.state = TrunkState(trunk.probe_sec * 1000);
      entry.trunk = trunk;
    }
  for (const auto& [key, entry] : entries_)
    if (next.count(key) == 0) show(key, Entry{});
  entries_ = std::move(next);
  for (const auto& [key, entry] : entries_) show(key, entry);
  look();
}

void TrunkHealth::stop() {
  timer_.cancel();
  stack_ = nullptr;
  entries_.clear();
}

std::string TrunkHealth::why_down(const TrunkKey& trunk) const {
  const auto at = entries_.find(trunk);
  if (at == entries_.end() || at->second.state.takes_calls(now_ms())) return {};
  return "down since " + utc_text(at->second.since_ms) + " (" + at->second.state.why() + ")";
}

TrunkHealth::View TrunkHealth::view(const TrunkKey& trunk) const {
  const auto at = entries_.find(trunk);
  if (at == entries_.end()) return {};
  return {at->second.state.value(), at->second.state.why(), at->second.since_ms};
}

void TrunkHealth::call_answered(const TrunkKey& trunk) {
  const auto at = entries_.find(trunk);
  if (at == entries_.end()) return;
  change(trunk, at->second, [this](TrunkState& state) { state.answered(now_ms(), false); });
}

void TrunkHealth::call_failed(const TrunkKey& trunk, const std::string& why) {
  const auto at = entries_.find(trunk);
  if (at == entries_.end()) return;
  change(trunk, at->second, [&](TrunkState& state) { state.failed(now_ms(), why, false); });
}

template <class Change>
void TrunkHealth::change(const TrunkKey& key, Entry& entry, Change change) {
  const TrunkState::Value before = entry.state.value();
  change(entry.state);
  const TrunkState::Value after = entry.state.value();
  if (before == after) return;
  entry.since_ms = host_.wall_ms();
  show(key, entry);
  if (after == TrunkState::Value::down)
    log_.warn("a trunk is down",
              {{"tenant", key.tenant}, {"trunk", key.trunk_id}, {"why", entry.state.why()}});
  else if (before == TrunkState::Value::down)
    log_.info("a trunk is up again", {{"tenant", key.tenant}, {"trunk", key.trunk_id}});
}

void TrunkHealth::show(const TrunkKey& key, const Entry& entry) const {
  Metric::gauge(host_, "patchbay_sip_trunk_up", "1 unless the trunk has not answered calls or OPTIONS lately",
                {{"tenant", key.tenant}, {"trunk", key.trunk_id}})
      .set(entry.state.value() == TrunkState::Value::down ? 0 : 1);
}

void TrunkHealth::look() {
  if (stack_ == nullptr) return;
  for (auto& [key, entry] : entries_)
    if (!entry.is_probing && entry.state.is_probe_due(now_ms())) probe(key, entry);
  timer_.after_ms(kProbePollMs, [this] { look(); });
}

void TrunkHealth::probe(const TrunkKey& key, Entry& entry) {
  entry.is_probing = true;
  if (!entry.exchange) entry.exchange = std::make_unique<TrunkExchange>(host_, resolver_, log_);
  entry.exchange->start(*stack_, entry.trunk, family_, timeout_ms_, make_options, is_alive,
                        [this, key](const TrunkAnswer& answer) { on_answer(key, answer); });
}

void TrunkHealth::on_answer(const TrunkKey& key, const TrunkAnswer& answer) {
  const auto at = entries_.find(key);
  if (at == entries_.end()) return;
  at->second.is_probing = false;
  const std::string why =
      "OPTIONS: " + (answer.status != 0 ? std::to_string(answer.status) + " " : "") + answer.text;
  change(key, at->second, [&](TrunkState& state) {
    if (is_alive(answer)) return state.answered(now_ms(), true);
    state.failed(now_ms(), why, true);
  });
}

}  // namespace patchbay::sip_trunk
