// Reads the settings of rest-api. Types, bounds and defaults are in settings.schema.json, against
// which the host has checked the configuration.
#pragma once

#include <patchbay/config.h>

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "http/http_server.h"
#include "rate/rate_limiter.h"

namespace patchbay::rest_api {

// The configured tenants. Hosts are normalised: lower case, no port, no trailing dot.
class Tenants {
 public:
  Tenants() = default;
  explicit Tenants(const Config& config);
  bool has(std::string_view host) const noexcept;
  const std::string& primary() const noexcept { return primary_; }  // "" when there is none

 private:
  std::vector<std::string> hosts_;
  std::string primary_;
};

struct Settings {
  // Public listeners first, then the management port, then the admin socket.
  ServerConfig server;
  lib::RateLimit rate;
  int64_t answer_ms = 0;  // for a handler to answer; then the client gets 503
  Tenants tenants;
  std::string listening_file;
  int64_t audit_keep_ms = 0;          // how long records of changes are kept
  std::chrono::milliseconds drain{};  // how long a stopping server waits for requests in flight

  // Error: an invalid address, or limits that contradict each other.
  static Result<Settings> read(const Config& config);
  // Whether a change to `next` needs a restart.
  bool needs_restart(const Settings& next) const;
};

// Parses "192.0.2.1:80" or "[2001:db8::1]:80". Names are refused, because a configuration may not depend on
// DNS.
Result<ListenerConfig> parse_listen(std::string_view text, ListenerRole role);

}  // namespace patchbay::rest_api
