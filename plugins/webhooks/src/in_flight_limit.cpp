#include "in_flight_limit.h"

#include <utility>

#include "webhook_limits.h"

namespace patchbay::webhooks {

bool InFlightLimit::has_room(const std::string& tenant) const {
  const auto of = tenants_.find(tenant);
  return used_ < kMaxInFlight && (of == tenants_.end() || of->second.used < kMaxInFlightPerTenant);
}

void InFlightLimit::take(const std::string& tenant) {
  ++used_;
  ++tenants_[tenant].used;
}

void InFlightLimit::release(const std::string& tenant) {
  --used_;
  --tenants_[tenant].used;
  remove_idle(tenant);
}

void InFlightLimit::wait(const std::string& tenant, const std::string& lane) {
  Tenant& of = tenants_[tenant];
  if (!of.queued.insert(lane).second) return;
  if (of.waiting.empty()) turns_.push_back(tenant);
  of.waiting.push_back(lane);
}

std::optional<std::string> InFlightLimit::next() {
  for (size_t looked_at = 0, all = turns_.size(); looked_at < all && used_ < kMaxInFlight; ++looked_at) {
    const std::string name = std::move(turns_.front());
    turns_.pop_front();
    Tenant& tenant = tenants_[name];
    if (!has_room(name)) {
      turns_.push_back(name);
      continue;
    }
    std::string lane = std::move(tenant.waiting.front());
    tenant.waiting.pop_front();
    tenant.queued.erase(lane);
    if (!tenant.waiting.empty()) turns_.push_back(name);
    remove_idle(name);
    return lane;
  }
  return std::nullopt;
}

void InFlightLimit::remove_idle(const std::string& tenant) {
  const auto of = tenants_.find(tenant);
  if (of->second.used == 0 && of->second.waiting.empty()) tenants_.erase(of);
}

}  // namespace patchbay::webhooks
