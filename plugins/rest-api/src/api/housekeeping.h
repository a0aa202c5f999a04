// Housekeeping: once a minute looks for withdrawn handlers, renewed certificates and a removed admin socket,
// because nothing notifies the plugin of them. On the main strand.
#pragma once

#include <patchbay/strand.h>

#include <functional>

#include "http/certificate_watch.h"
#include "read_settings.h"
#include "route_registry.h"

namespace patchbay::rest_api {

class Housekeeping {
 public:
  // Calls `reload_tls` when a certificate or key file has changed, and `recreate_sockets` each time. Borrows
  // `host` and `registry`.
  Housekeeping(const Host& host, const Settings& settings, RouteRegistry& registry,
               std::function<void()> reload_tls, std::function<void()> recreate_sockets);

 private:
  void arm();
  void run();

  RouteRegistry* registry_;
  std::function<void()> reload_tls_;
  std::function<void()> recreate_sockets_;
  CertificateWatch certificates_;
  Timer timer_;
};

}  // namespace patchbay::rest_api
