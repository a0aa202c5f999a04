#include "rate/address_limiter.h"

#include <algorithm>

#include "rate/address_key.h"

namespace patchbay::lib {
namespace {

RateLimit site_limit(RateLimit limit) {
  limit.per_second *= AddressLimiter::kSiteFactor;
  limit.burst *= AddressLimiter::kSiteFactor;
  return limit;
}

std::string with(std::string key, std::string_view beside) {
  return beside.empty() ? key : key.append("|").append(beside);
}

}  // namespace

AddressLimiter::AddressLimiter(RateLimit limit) : hosts_(limit), sites_(site_limit(limit)) {}

int64_t AddressLimiter::take(std::string_view address, int64_t now_ns, std::string_view beside, double cost) {
  const std::string host = with(address_key(address), beside);
  const std::string wide = with(site_key(address), beside);
  if (wide == host) return hosts_.take(host, now_ns, cost);  // IPv4 has no such level
  const int64_t wait = sites_.wait_ms(wide, now_ns, cost);
  if (wait > 0) return std::max(wait, hosts_.wait_ms(host, now_ns, cost));
  const int64_t own_wait = hosts_.take(host, now_ns, cost);
  if (own_wait == 0) sites_.take(wide, now_ns, cost);
  return own_wait;
}

void AddressLimiter::reset(std::string_view address, std::string_view beside) {
  hosts_.reset(with(address_key(address), beside));
}

}  // namespace patchbay::lib
