// Housekeeping: once a minute looks for withdrawn handlers, renewed certificates and a removed admin socket,
// because nothing notifies the plugin of them. On the main strand.
#pragma once

#include <patchbay/strand.h>

#include <filesystem>
#include <functional>
#include <vector>

#include "read_settings.h"
#include "route_registry.h"

namespace patchbay::rest_api {

class Housekeeping {
 public:
  // Calls `reload_tls` when the modification time of a certificate or key file has changed, and
  // `recreate_sockets` each time. Borrows all else.
  Housekeeping(const Host& host, const Settings& settings, RouteRegistry& registry,
               std::function<void()> reload_tls, std::function<void()> recreate_sockets);

 private:
  void arm();
  void run();
  std::vector<std::filesystem::file_time_type> file_times() const;

  const Settings* settings_;
  RouteRegistry* registry_;
  std::function<void()> reload_tls_;
  std::function<void()> recreate_sockets_;
  std::vector<std::filesystem::file_time_type> file_times_;
  Timer timer_;
};

}  // namespace patchbay::rest_api
