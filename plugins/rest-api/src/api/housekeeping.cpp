#include "housekeeping.h"

#include <system_error>

namespace patchbay::rest_api {
namespace {

constexpr int64_t kIntervalMs = 60'000;

}  // namespace

Housekeeping::Housekeeping(const Host& host, const Settings& settings, RouteRegistry& registry,
                           std::function<void()> reload_tls, std::function<void()> recreate_sockets)
    : settings_(&settings),
      registry_(&registry),
      reload_tls_(std::move(reload_tls)),
      recreate_sockets_(std::move(recreate_sockets)),
      file_times_(file_times()),
      timer_(host) {
  arm();
}

void Housekeeping::arm() {
  timer_.after_ms(kIntervalMs, [this] { run(); });
}

void Housekeeping::run() {
  arm();
  registry_->remove_stale();
  recreate_sockets_();
  auto times = file_times();
  if (times == file_times_) return;
  file_times_ = std::move(times);
  reload_tls_();
}

std::vector<std::filesystem::file_time_type> Housekeeping::file_times() const {
  std::vector<std::filesystem::file_time_type> times;
  for (const auto& listener : settings_->server.listeners) {
    if (!listener.tls) continue;
    std::error_code ignored;
    times.push_back(std::filesystem::last_write_time(listener.tls->certificate, ignored));
    times.push_back(std::filesystem::last_write_time(listener.tls->key, ignored));
  }
  return times;
}

}  // namespace patchbay::rest_api
