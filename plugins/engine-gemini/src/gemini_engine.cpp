#include "gemini_engine.h"

#include "engine/async_session.h"
#include "gemini_conversation.h"
#include "websocket/url.h"

namespace patchbay::engine_gemini {

bool GeminiEngine::matches(std::string_view model) const {
  if (size_t slash = model.rfind('/'); slash != std::string_view::npos) model.remove_prefix(slash + 1);
  return model.starts_with("gemini-");
}

Result<std::unique_ptr<lib::Session>> GeminiEngine::open(lib::IoThread& io, lib::SessionConfig config,
                                                         lib::SessionListener& listener) {
  PB_TRY_VALUE(auto url, lib::parse_websocket_url(options_.url));
  (void)url;
  if (config.api_key.empty()) return {Code::invalid, "gemini-live: an apiKey is required"};
  for (char c : config.api_key)
    if (c <= ' ' || c >= 127) return {Code::invalid, "gemini-live: the apiKey has an invalid character"};
  auto conversation = GeminiConversation::create(io, options_, stats_, std::move(config), listener);
  return std::unique_ptr<lib::Session>(
      std::make_unique<lib::AsyncSession<GeminiConversation>>(io, std::move(conversation)));
}

}  // namespace patchbay::engine_gemini
