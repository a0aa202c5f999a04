#include "read_settings.h"

#include <utility>

namespace patchbay::ai_voice {

Settings Settings::read(const Config& config) {
  Settings all;
  const JsonView own = config.plugin();
  all.server_.max_calls = static_cast<size_t>(own["maxCalls"].integer());
  all.server_.max_load_percent = own["maxLoadPercent"].integer();
  all.server_.log_conversations = own["logConversations"].boolean();
  all.server_.keep_calls_days = own["keepCallsDays"].integer();
  for (const Config::Tenant& tenant : config.tenants()) {
    const JsonView section = tenant.section;
    TenantSettings settings;
    settings.model = section["model"].text();
    settings.api_key = section["apiKey"].text();
    settings.email = section["email"].text();
    settings.greeting = section["greeting"].text();
    settings.ring_timeout_ms = section["ringTimeoutSec"].integer() * 1000;
    const JsonView users = section["transferUsers"];
    for (size_t i = 0; i < users.size(); ++i) settings.transfer_users.emplace_back(users.at(i).text());
    settings.transfers_by_refer = section["transferBy"].text() == "refer";
    settings.max_concurrent_calls = static_cast<size_t>(section["maxConcurrentCalls"].integer());
    settings.calls_per_second = section["callsPerSecond"].number();
    settings.max_waiting_calls = section["maxWaitingCalls"].integer();
    const JsonView prompts = section["prompts"];
    for (size_t i = 0; i < prompts.size(); ++i)
      settings.prompts.emplace(prompts.key(i), prompts.at(i).text());
    all.tenants_.emplace(tenant.host, std::move(settings));
  }
  return all;
}

const TenantSettings* Settings::tenant(std::string_view host) const {
  const auto at = tenants_.find(host);
  return at == tenants_.end() ? nullptr : &at->second;
}

Status Settings::check(const Config& config) {
  if (!config.plugin()["engines"]) return {};
  return {Code::invalid,
          "plugins.ai-voice.engines: engines are plugins of their own now; write `engine-gemini: {url: ..., "
          "caFile: ...}` and `engine-local: {recognisers: ...}` under `plugins:` instead"};
}

}  // namespace patchbay::ai_voice
