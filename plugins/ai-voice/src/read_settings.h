// Reads the settings of ai-voice. Types, bounds and defaults are in settings.schema.json, against
// which the host has checked the configuration.
#pragma once

#include <patchbay/config.h>
#include <patchbay/result.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace patchbay::ai_voice {

struct TenantSettings {
  std::string model;
  std::string api_key;  // "": none
  std::string email;
  std::string greeting;
  int64_t ring_timeout_ms = 0;
  size_t max_concurrent_calls = 0;
  double calls_per_second = 0;  // 0: any number
  int64_t max_waiting_calls = 0;
  std::vector<std::string> transfer_users;  // of outbound calls
  bool transfers_by_refer = false;          // inbound calls to telephone numbers
  std::map<std::string, std::string, std::less<>> prompts;
};

// Immutable.
class Settings {
 public:
  // Settings of the whole server.
  struct Server {
    size_t max_calls = 0;            // running attempts, over all tenants
    int64_t max_load_percent = 0;    // of the cores, beyond which no call starts; 0: none
    bool log_conversations = false;  // whether what is said on calls may be logged
    int64_t keep_calls_days = 0;     // for records of ended calls; 0: for ever
  };

  Settings() = default;
  static Settings read(const Config& config);
  // Refuses the key `engines` of earlier versions and names its new place.
  static Status check(const Config& config);
  const Server& server() const noexcept { return server_; }
  // nullptr: unknown tenant.
  const TenantSettings* tenant(std::string_view host) const;

 private:
  Server server_;
  std::map<std::string, TenantSettings, std::less<>> tenants_;
};
}  // namespace patchbay::ai_voice
