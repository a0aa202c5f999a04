#include "body_budget.h"

#include <algorithm>
#include <utility>

#include "limits.h"
#include "rate/address_key.h"

namespace patchbay::rest_api {

BodyBudget::BodyBudget(size_t max, size_t max_per_client, Clock::duration grace, Clock::duration min_lag)
    : max_{max, std::min(max, kSiteBodyFactor * max_per_client), max_per_client},
      grace_(grace),
      min_lag_(min_lag) {}

BodyBudget::Share::Share(std::shared_ptr<BodyBudget> budget, std::string_view address,
                         Clock::time_point started, std::function<void()> drop)
    : budget_(std::move(budget)), held_(std::make_unique<Held>()) {
  held_->keys = {"", "site " + lib::site_key(address), lib::address_key(address)};
  held_->started = started;
  held_->drop = std::move(drop);
}

BodyBudget::Share::~Share() { release(); }

BodyBudget::Share::Share(Share&& other) noexcept = default;

BodyBudget::Share& BodyBudget::Share::operator=(Share&& other) noexcept {
  std::swap(budget_, other.budget_);
  std::swap(held_, other.held_);
  return *this;
}

void BodyBudget::Share::release() noexcept {
  if (!held_) return;
  const std::lock_guard lock(budget_->mutex_);
  budget_->release(*held_);
}

bool BodyBudget::Share::grow_to(size_t octets, const Lag& lag, Clock::time_point now) {
  return !held_ || octets <= kFreeBodyOctets || budget_->grow(*held_, octets - kFreeBodyOctets, lag, now);
}

void BodyBudget::Share::set_lag(const Lag& lag) noexcept {
  if (!held_) return;
  const std::lock_guard lock(budget_->mutex_);
  held_->lag = lag;
}

bool BodyBudget::Share::complete() {
  if (!held_) return true;
  const std::lock_guard lock(budget_->mutex_);
  held_->receiving = false;
  held_->drop = nullptr;
  return !held_->dropped;
}

size_t BodyBudget::held() const {
  const std::lock_guard lock(mutex_);
  return taken_by("");
}

uint64_t BodyBudget::dropped() const {
  const std::lock_guard lock(mutex_);
  return dropped_;
}

size_t BodyBudget::taken_by(const std::string& key) const {
  const auto found = taken_.find(key);
  return found == taken_.end() ? 0 : found->second;
}

bool BodyBudget::grow(Held& body, size_t octets, const Lag& lag, Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  if (body.dropped) return false;
  body.lag = lag;
  if (octets <= body.taken) return true;
  const size_t more = octets - body.taken;
  if (!make_room(body, more, now)) return false;
  bodies_.insert(&body);
  body.taken += more;
  for (const std::string& key : body.keys) taken_[key] += more;
  return true;
}

// Frees memory at each level that has too little. For a client at its limit, only its own bodies are dropped.
bool BodyBudget::make_room(const Held& body, size_t octets, Clock::time_point now) {
  for (size_t level = max_.size(); level-- > 0;)
    while (taken_by(body.keys[level]) + octets > max_[level])
      if (!drop_slowest(body, level, now)) return false;
  return true;
}

bool BodyBudget::drop_slowest(const Held& newcomer, size_t level, Clock::time_point now) {
  Held* slowest = nullptr;
  const auto is_slower = [now](const Held& a, const Held& b) {
    const auto left = a.lag.of(now);
    const auto right = b.lag.of(now);
    return left != right ? left > right : a.started < b.started;
  };
  for (Held* body : bodies_) {
    if (body == &newcomer || !body->receiving || body->started + grace_ > now) continue;
    if (body->lag.of(now) < min_lag_) continue;
    if (body->keys[level] != newcomer.keys[level]) continue;
    if (slowest == nullptr || is_slower(*body, *slowest)) slowest = body;
  }
  if (slowest == nullptr) return false;
  // Counted as free now; its own thread frees the memory a moment later.
  release(*slowest);
  slowest->dropped = true;
  ++dropped_;
  slowest->drop();
  return true;
}

void BodyBudget::release(Held& body) noexcept {
  if (body.taken == 0) return;
  for (const std::string& key : body.keys) {
    const auto found = taken_.find(key);
    if ((found->second -= body.taken) == 0) taken_.erase(found);
  }
  body.taken = 0;
  bodies_.erase(&body);
}

}  // namespace patchbay::rest_api
