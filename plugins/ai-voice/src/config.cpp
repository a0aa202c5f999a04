#include "config.h"

#include <utility>

namespace patchbay::ai_voice {

Settings::Settings(const Config& config) {
  const JsonView own = config.plugin();
  server_.max_calls = static_cast<size_t>(own.integer("maxCalls", 250));
  server_.log_conversations = own.boolean("logConversations", false);
  server_.keep_calls_days = own.integer("keepCallsDays", 0);
  for (const Config::Tenant& tenant : config.tenants()) {
    const JsonView section = tenant.section;
    TenantSettings settings;
    settings.model = section.text("model", "local");
    settings.api_key = section.text("apiKey", "");
    settings.email = section.text("email", "");
    settings.greeting = section.text("greeting", "");
    settings.ring_timeout_ms = section.integer("ringTimeoutSec", 60) * 1000;
    settings.max_concurrent_calls = static_cast<size_t>(section.integer("maxConcurrentCalls", 100));
    settings.max_waiting_calls = section.integer("maxWaitingCalls", 10000);
    const JsonView prompts = section["prompts"];
    for (size_t i = 0; i < prompts.size(); ++i)
      settings.prompts.emplace(prompts.key(i), prompts.at(i).text());
    tenants_.emplace(tenant.host, std::move(settings));
  }
}

const TenantSettings* Settings::tenant(std::string_view host) const {
  const auto at = tenants_.find(host);
  return at == tenants_.end() ? nullptr : &at->second;
}

Status check_settings(const Config& config) {
  if (!config.plugin()["engines"]) return {};
  return {Code::invalid,
          "plugins.ai-voice.engines: engines are plugins of their own now; write `engine-gemini: {url: ..., "
          "caFile: ...}` and `engine-local: {recognisers: ...}` under `plugins:` instead"};
}

}  // namespace patchbay::ai_voice
