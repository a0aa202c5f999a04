#include "slow_refusals.h"

#include <algorithm>

namespace patchbay::rest_api {
namespace {

constexpr lib::RateLimit kFree{.per_second = 5.0, .burst = 100.0};
constexpr int64_t kDelayNs = 1'000'000'000;
constexpr size_t kMost = 4096;  // beyond it delaying costs us more than them

}  // namespace

SlowRefusals::SlowRefusals(const Host& host) : host_(&host), limiter_(kFree), timer_(host) {}

void SlowRefusals::run(std::string_view address, Function<void()> answer) {
  if (limiter_.take(address, host_->mono_ns()) == 0 || late_.size() >= kMost) return answer();
  late_.push_back({host_->mono_ns() + kDelayNs, std::move(answer)});
  if (late_.size() == 1) arm();
}

void SlowRefusals::arm() {
  const int64_t wait_ns = std::max<int64_t>(late_.front().due_ns - host_->mono_ns(), 0);
  timer_.after_ms(wait_ns / 1'000'000 + 1, [this] { release(); });
}

void SlowRefusals::release() {
  const int64_t now_ns = host_->mono_ns();
  while (!late_.empty() && late_.front().due_ns <= now_ns) {
    const auto answer = std::move(late_.front().answer);
    late_.pop_front();
    answer();
  }
  if (!late_.empty()) arm();
}

}  // namespace patchbay::rest_api
