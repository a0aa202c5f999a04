#include "housekeeping.h"

#include <system_error>

namespace patchbay::rest_api {
namespace {

constexpr int64_t kRoundMs = 60'000;

}  // namespace

Upkeep::Upkeep(const Host& host, const Settings& settings, RouteRegistry& registry,
               std::function<void()> renew, std::function<void()> mend)
    : settings_(&settings),
      registry_(&registry),
      renew_(std::move(renew)),
      mend_(std::move(mend)),
      seen_(file_times()),
      timer_(host) {
  arm();
}

void Upkeep::arm() {
  timer_.after_ms(kRoundMs, [this] { look(); });
}

void Upkeep::look() {
  arm();
  registry_->sweep();
  mend_();
  auto times = file_times();
  if (times == seen_) return;
  seen_ = std::move(times);
  renew_();
}

std::vector<std::filesystem::file_time_type> Upkeep::file_times() const {
  std::vector<std::filesystem::file_time_type> times;
  for (const auto& listener : settings_->edge.listeners) {
    if (!listener.tls) continue;
    std::error_code ignored;
    times.push_back(std::filesystem::last_write_time(listener.tls->certificate, ignored));
    times.push_back(std::filesystem::last_write_time(listener.tls->key, ignored));
  }
  return times;
}

}  // namespace patchbay::rest_api
