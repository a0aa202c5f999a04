#include "trunks/trunk_limits.h"

#include <patchbay/json.h>

#include <algorithm>

#include "stack/sip_limits.h"

namespace patchbay::sip_trunk {
namespace {

TrunkRefusal refusal(const char* limit, double value, const TrunkKey& trunk, int64_t retry_ms) {
  return {limit, limit + (" (" + JsonWriter().value(value).str()) + ") of the trunk " + trunk.trunk_id,
          retry_ms};
}

}  // namespace

std::optional<TrunkRefusal> TrunkLimits::count(const TrunkKey& trunk, const TrunkLimit& limit,
                                               int64_t now_ns) {
  Use& use = uses_[trunk];
  const auto at = others_.find(trunk);
  const int64_t elsewhere = at == others_.end() ? 0 : at->second;
  // Neither the end of a call at another server nor that of a reservation is reported, so the caller asks
  // again.
  if (limit.max_calls > 0 && use.calls + elsewhere >= limit.max_calls)
    return refusal("maxCalls", static_cast<double>(limit.max_calls), trunk,
                   elsewhere > 0 || is_reserved_at(trunk) ? kTrunkRetryMs : 0);
  if (limit.calls_per_second > 0) {
    const int64_t wait_ns = use.next_start_ns - now_ns;
    if (wait_ns > 0)
      return refusal("callsPerSecond", limit.calls_per_second, trunk, (wait_ns + 999'999) / 1'000'000);
    use.next_start_ns = now_ns + servers_ * static_cast<int64_t>(1e9 / limit.calls_per_second);
  }
  ++use.calls;
  return std::nullopt;
}

bool TrunkLimits::is_reserved_at(const TrunkKey& trunk) const {
  return std::any_of(reservations_.begin(), reservations_.end(),
                     [&](const auto& each) { return each.second.trunk == trunk; });
}

std::optional<TrunkRefusal> TrunkLimits::take(const TrunkKey& trunk, const TrunkLimit& limit,
                                              const std::string& call_id, int64_t now_ns) {
  expire(now_ns);
  const auto reserved = reservations_.find(call_id);
  if (reserved == reservations_.end() || reserved->second.trunk != trunk) return count(trunk, limit, now_ns);
  reservations_.erase(reserved);  // its place is counted already
  return std::nullopt;
}

void TrunkLimits::release(const TrunkKey& trunk) {
  const auto use = uses_.find(trunk);
  if (use != uses_.end()) use->second.calls = std::max<int64_t>(0, use->second.calls - 1);
}

std::optional<TrunkRefusal> TrunkLimits::reserve(const TrunkKey& trunk, const TrunkLimit& limit,
                                                 const std::string& call_id, int64_t now_ns) {
  expire(now_ns);
  const int64_t start_before_ns = uses_[trunk].next_start_ns;
  if (auto refused = count(trunk, limit, now_ns)) return refused;
  reservations_.insert_or_assign(call_id, Reservation{trunk, now_ns + kReservationMs * 1'000'000,
                                                      start_before_ns, uses_[trunk].next_start_ns});
  return std::nullopt;
}

const TrunkKey* TrunkLimits::reservation(const std::string& call_id, int64_t now_ns) {
  expire(now_ns);
  const auto found = reservations_.find(call_id);
  return found == reservations_.end() ? nullptr : &found->second.trunk;
}

void TrunkLimits::cancel(const std::string& call_id) {
  const auto found = reservations_.find(call_id);
  if (found == reservations_.end()) return;
  const Reservation& reservation = found->second;
  Use& use = uses_[reservation.trunk];
  if (use.next_start_ns == reservation.start_after_ns) use.next_start_ns = reservation.start_before_ns;
  release(reservation.trunk);
  reservations_.erase(found);
}

std::map<TrunkKey, int64_t> TrunkLimits::uses() const {
  std::map<TrunkKey, int64_t> calls;
  for (const auto& [trunk, use] : uses_) calls[trunk] = use.calls;
  return calls;
}

void TrunkLimits::set_others(std::map<TrunkKey, int64_t> calls, int64_t servers) {
  others_ = std::move(calls);
  servers_ = servers;
}

std::optional<TrunkRefusal> TrunkLimits::reached(const TrunkKey& trunk, const TrunkLimit& limit,
                                                 int64_t now_ns) {
  expire(now_ns);
  const auto known = uses_.find(trunk);
  const bool is_used = known != uses_.end();
  const Use before = is_used ? known->second : Use{};
  auto refused = count(trunk, limit, now_ns);
  if (is_used) uses_[trunk] = before;
  if (!is_used) uses_.erase(trunk);
  return refused;
}

// There are few at a time: a call has one between its request and its dial.
void TrunkLimits::expire(int64_t now_ns) {
  for (auto each = reservations_.begin(); each != reservations_.end();) {
    if (each->second.ends_ns > now_ns) {
      ++each;
      continue;
    }
    release(each->second.trunk);
    each = reservations_.erase(each);
  }
}

}  // namespace patchbay::sip_trunk
