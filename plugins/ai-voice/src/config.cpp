#include "config.h"

#include <unistd.h>

#include <utility>

#include "websocket/url.h"

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
  const std::string where = "plugins.ai-voice.engines.gemini-live.";
  const JsonView remote = config.plugin()["engines"]["gemini-live"];
  if (const std::string_view url = remote.text("url", ""); !url.empty()) {
    auto parsed = lib::parse_websocket_url(url);
    if (!parsed) return std::move(parsed).error().within(where + "url");
  }
  const std::string ca_file(remote.text("caFile", ""));
  if (!ca_file.empty() && access(ca_file.c_str(), R_OK) != 0)
    return {Code::invalid, where + "caFile cannot be read: " + ca_file};
  return {};
}

}  // namespace patchbay::ai_voice
