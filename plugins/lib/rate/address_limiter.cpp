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

std::string with(std::string key, std::string_view account) {
  if (!account.empty()) key.append("|").append(account);
  return key;
}

}  // namespace

AddressLimiter::AddressLimiter(RateLimit limit) : hosts_(limit), sites_(site_limit(limit)) {}

int64_t AddressLimiter::take(std::string_view address, int64_t now_ns, std::string_view account,
                             double cost) {
  std::string site = site_key(address);
  std::string host = address_key(address);
  const bool has_site = site != host;  // IPv4 has only one level
  host = with(std::move(host), account);
  if (!has_site) return hosts_.take(host, now_ns, cost);
  site = with(std::move(site), account);
  const int64_t wait = sites_.wait_ms(site, now_ns, cost);
  if (wait > 0) return std::max(wait, hosts_.wait_ms(host, now_ns, cost));
  const int64_t own_wait = hosts_.take(host, now_ns, cost);
  if (own_wait == 0) sites_.take(site, now_ns, cost);
  return own_wait;
}

void AddressLimiter::reset(std::string_view address, std::string_view account) {
  hosts_.reset(with(address_key(address), account));
}

}  // namespace patchbay::lib
