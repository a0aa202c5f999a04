#include "auth_throttle.h"

#include <algorithm>
#include <utility>

#include "limits.h"
#include "rate/address_key.h"

namespace patchbay::rest_api {
namespace {

constexpr lib::RateLimit kUnknown{.per_second = kUnknownBearersPerSec, .burst = kMaxUnknownBearers};

}  // namespace

AuthThrottle::AuthThrottle(const Host& host)
    : host_(&host),
      limiter_(kUnknown),
      timer_(host),
      waiting_gauge_(Metric::gauge(host, "patchbay_rest_api_bearers_waiting",
                                   "Requests whose unknown bearer waits to be checked")) {}

bool AuthThrottle::run(std::string_view address, const std::string& name, Function<void()> check) {
  if (is_known(name) || limiter_.take(address, host_->mono_ns()) == 0) {
    check();
    return true;
  }
  std::string key = lib::address_key(address);
  if (queue_.size() >= kMaxWaitingBearers) return false;
  size_t& waiting = waiting_[key];
  if (waiting >= kMaxWaitingBearersPerAddress) return false;
  ++waiting;
  queue_.push_back({host_->mono_ns() + kUnknownBearerDelayMs * 1'000'000, std::move(key), std::move(check)});
  waiting_gauge_.set(static_cast<double>(queue_.size()));
  if (queue_.size() == 1) arm();
  return true;
}

void AuthThrottle::record(const std::string& name, bool is_valid) {
  if (is_valid) return remember(name);
  newer_.erase(name);
  older_.erase(name);
}

bool AuthThrottle::is_known(const std::string& name) {
  if (newer_.count(name) > 0) return true;
  if (older_.count(name) == 0) return false;
  remember(name);
  return true;
}

void AuthThrottle::remember(const std::string& name) {
  if (newer_.count(name) > 0) return;
  if (newer_.size() >= kMaxKnownBearers) older_ = std::exchange(newer_, {});
  newer_.insert(name);
}

void AuthThrottle::arm() {
  const int64_t wait_ns = std::max<int64_t>(queue_.front().due_ns - host_->mono_ns(), 0);
  timer_.after_ms(wait_ns / 1'000'000 + 1, [this] { run_due(); });
}

void AuthThrottle::run_due() {
  const int64_t now_ns = host_->mono_ns();
  while (!queue_.empty() && queue_.front().due_ns <= now_ns) {
    const Waiting next = std::move(queue_.front());
    queue_.pop_front();
    const auto found = waiting_.find(next.key);
    if (--found->second == 0) waiting_.erase(found);
    next.check();
  }
  waiting_gauge_.set(static_cast<double>(queue_.size()));
  if (!queue_.empty()) arm();
}

}  // namespace patchbay::rest_api
