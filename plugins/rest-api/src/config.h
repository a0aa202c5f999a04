// The plugin's settings, read once from its configuration.
#pragma once

#include <patchbay/config.h>

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "http/http_server.h"
#include "rate/rate_limiter.h"

namespace patchbay::rest_api {

// The tenants there are. Hosts are normalised: lower case, no port, no trailing dot.
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
  EdgeConfig edge;
  lib::RateLimit rate;
  int64_t answer_ms = 0;  // for a handler to answer
  Tenants tenants;
  std::string listening_file;
  std::chrono::milliseconds drain{};  // for requests to be answered while the server stops

  // What is not configured is as the manifest says, or the file schema of the server. Error: an address that
  // is none.
  static Result<Settings> read(const Config& config);
  // Whether only a restart takes the step from one to the other.
  bool needs_restart(const Settings& next) const;
};

// "192.0.2.1:80", "[2001:db8::1]:80": numeric, as configurations must be free of DNS.
Result<ListenerConfig> parse_listen(std::string_view text, Surface surface);

}  // namespace patchbay::rest_api
