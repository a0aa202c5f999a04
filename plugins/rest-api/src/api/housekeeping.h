// What must be looked at once a minute because nobody tells: handlers whose plugin has gone, certificates
// that were renewed, an admin socket that was removed. On the main strand.
#pragma once

#include <patchbay/strand.h>

#include <filesystem>
#include <functional>
#include <vector>

#include "config.h"
#include "route_registry.h"

namespace patchbay::rest_api {

class Upkeep {
 public:
  // `renew` runs when a certificate or key file has another time of change, `mend` each time. All else is
  // borrowed.
  Upkeep(const Host& host, const Settings& settings, RouteRegistry& registry, std::function<void()> renew,
         std::function<void()> mend);

 private:
  void arm();
  void look();
  std::vector<std::filesystem::file_time_type> file_times() const;

  const Settings* settings_;
  RouteRegistry* registry_;
  std::function<void()> renew_;
  std::function<void()> mend_;
  std::vector<std::filesystem::file_time_type> seen_;
  Timer timer_;
};

}  // namespace patchbay::rest_api
