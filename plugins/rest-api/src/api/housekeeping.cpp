#include "housekeeping.h"

#include "limits.h"

namespace patchbay::rest_api {
namespace {

std::vector<TlsFiles> certificates(const ServerConfig& config) {
  std::vector<TlsFiles> all;
  for (const auto& listener : config.listeners)
    if (listener.tls) all.push_back(*listener.tls);
  return all;
}

}  // namespace

Housekeeping::Housekeeping(const Host& host, const Settings& settings, RouteRegistry& registry,
                           std::function<void()> reload_tls, std::function<void()> recreate_sockets)
    : registry_(&registry),
      reload_tls_(std::move(reload_tls)),
      recreate_sockets_(std::move(recreate_sockets)),
      certificates_(certificates(settings.server)),
      timer_(host) {
  arm();
}

void Housekeeping::arm() {
  timer_.after_ms(kHousekeepingMs, [this] { run(); });
}

void Housekeeping::run() {
  arm();
  registry_->remove_stale();
  recreate_sockets_();
  if (certificates_.changed()) reload_tls_();
}

}  // namespace patchbay::rest_api
