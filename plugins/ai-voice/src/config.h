// The configuration of ai-voice, read once and handed out by tenant.
#pragma once

#include <patchbay/config.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace patchbay::ai_voice {

struct TenantSettings {
  std::string model;
  std::string api_key;  // "" when the tenant has none
  std::string email;
  std::string greeting;
  int64_t ring_timeout_ms = 60000;
  size_t max_concurrent_calls = 100;
  int64_t max_waiting_calls = 10000;
  std::map<std::string, std::string, std::less<>> prompts;
};

// Immutable.
class Settings {
 public:
  Settings() = default;
  explicit Settings(const Config& config);
  // nullptr: no such tenant.
  const TenantSettings* tenant(std::string_view host) const;

 private:
  std::map<std::string, TenantSettings, std::less<>> tenants_;
};

}  // namespace patchbay::ai_voice
