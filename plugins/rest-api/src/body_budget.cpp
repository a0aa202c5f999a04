#include "body_budget.h"

#include <utility>

namespace patchbay::rest_api {

BodyBudget::Share::~Share() {
  if (taken_ > 0) budget_->give(client_, taken_);
}

BodyBudget::Share::Share(Share&& other) noexcept
    : budget_(std::move(other.budget_)),
      client_(std::move(other.client_)),
      taken_(std::exchange(other.taken_, 0)) {}

BodyBudget::Share& BodyBudget::Share::operator=(Share&& other) noexcept {
  std::swap(budget_, other.budget_);
  std::swap(client_, other.client_);
  std::swap(taken_, other.taken_);
  return *this;
}

bool BodyBudget::Share::grow_to(size_t octets) {
  if (!budget_ || octets <= kFree || octets - kFree <= taken_) return true;
  const size_t more = octets - kFree - taken_;
  if (!budget_->take(client_, more)) return false;
  taken_ += more;
  return true;
}

size_t BodyBudget::held() const {
  const std::lock_guard lock(mutex_);
  return held_;
}

bool BodyBudget::take(const std::string& client, size_t octets) {
  const std::lock_guard lock(mutex_);
  const auto found = taken_.find(client);
  const size_t before = found == taken_.end() ? 0 : found->second;
  if (octets > most_ - held_ || octets > most_per_client_ - before) return false;
  taken_[client] = before + octets;
  held_ += octets;
  return true;
}

void BodyBudget::give(const std::string& client, size_t octets) noexcept {
  const std::lock_guard lock(mutex_);
  held_ -= octets;
  const auto found = taken_.find(client);
  if ((found->second -= octets) == 0) taken_.erase(found);
}

}  // namespace patchbay::rest_api
