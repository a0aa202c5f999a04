// Reads the settings of webhooks. Types, bounds and defaults are in settings.schema.json, against
// which the host has checked the configuration.
#pragma once

#include <patchbay/config.h>
#include <patchbay/result.h>

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "event_catalogue.h"

namespace patchbay::webhooks {

// A subscription that configuration defines.
struct Definition {
  std::string id;  // 16 hex characters
  std::string tenant;
  std::string url;
  std::vector<std::string> events;
  std::string secret;
};

struct Settings {
  std::string ca_file;
  size_t max_in_flight = 0;  // per subscription
  int64_t keep_ms = 0;       // of ended deliveries
  std::vector<Definition> definitions;
  std::map<std::string, bool, std::less<>> allow_private;  // by tenant

  // Error: a URL that may not be a receiver, an event that no plugin emits, two subscriptions under one id,
  // or a CA file that cannot be read.
  static Result<Settings> read(const Config& config, const EventCatalogue& catalogue);

  bool allows_private(std::string_view tenant) const;
};

}  // namespace patchbay::webhooks
