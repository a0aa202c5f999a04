#include "in_flight_limit.h"

#include <algorithm>
#include <utility>

#include "webhook_limits.h"

namespace patchbay::webhooks {

bool InFlightLimit::has_room(const std::string& tenant, SlotKind kind) const {
  const auto found = tenants_.find(tenant);
  const size_t used = found == tenants_.end() ? 0 : found->second.used;
  const size_t unproven = found == tenants_.end() ? 0 : found->second.unproven;
  if (used_ >= kMaxInFlight || used >= kMaxInFlightPerTenant) return false;
  if (kind == SlotKind::quick) return true;
  return unproven_ < kMaxUnprovenInFlight &&
         unproven < (kind == SlotKind::first ? kMaxUnprovenPerTenant : kMaxFurtherUnprovenPerTenant);
}

void InFlightLimit::take(const std::string& tenant, bool quick) {
  Tenant& of = tenants_[tenant];
  ++used_;
  ++of.used;
  if (quick) return;
  ++unproven_;
  ++of.unproven;
}

void InFlightLimit::release(const std::string& tenant, bool quick) {
  Tenant& of = tenants_[tenant];
  --used_;
  --of.used;
  if (!quick) {
    --unproven_;
    --of.unproven;
  }
  remove_idle(tenant);
}

void InFlightLimit::wait(const std::string& tenant, const std::string& lane, SlotKind kind) {
  Tenant& of = tenants_[tenant];
  if (of.kinds.empty()) turns_.push_back(tenant);
  const auto [known, fresh] = of.kinds.emplace(lane, kind);
  if (!fresh && known->second == kind) return;
  auto& before = of.waiting[static_cast<size_t>(known->second)];
  if (!fresh) before.erase(std::find(before.begin(), before.end(), lane));
  known->second = kind;
  of.waiting[static_cast<size_t>(kind)].push_back(lane);
}

std::optional<std::string> InFlightLimit::next() {
  for (size_t looked_at = 0, all = turns_.size(); looked_at < all && used_ < kMaxInFlight; ++looked_at) {
    const std::string name = std::move(turns_.front());
    turns_.pop_front();
    Tenant& tenant = tenants_[name];
    auto lane = next_of(name, tenant);
    if (!tenant.kinds.empty()) turns_.push_back(name);
    if (!lane) continue;
    remove_idle(name);
    return lane;
  }
  return std::nullopt;
}

std::optional<std::string> InFlightLimit::next_of(const std::string& name, Tenant& tenant) {
  std::array<SlotKind, kKinds> order{SlotKind::quick, SlotKind::first, SlotKind::further};
  if (tenant.unproven_turn) std::swap(order[0], order[1]);
  for (const SlotKind kind : order) {
    if (!has_room(name, kind)) continue;
    auto lane = take_first(tenant, kind);
    if (!lane) continue;
    tenant.unproven_turn = kind == SlotKind::quick;
    return lane;
  }
  return std::nullopt;
}

std::optional<std::string> InFlightLimit::take_first(Tenant& tenant, SlotKind kind) {
  auto& waiting = tenant.waiting[static_cast<size_t>(kind)];
  if (waiting.empty()) return std::nullopt;
  std::string lane = std::move(waiting.front());
  waiting.pop_front();
  tenant.kinds.erase(lane);
  return lane;
}

void InFlightLimit::remove_idle(const std::string& tenant) {
  const auto of = tenants_.find(tenant);
  if (of->second.used == 0 && of->second.kinds.empty()) tenants_.erase(of);
}

}  // namespace patchbay::webhooks
