#include "verbs/call_request.h"

#include "json/writer.h"
#include "verbs/text_argument.h"

namespace patchbay::app {

Result<std::string> call_request(const CallOptions& options) {
  PB_TRY_VALUE(const std::string prompt, text_or_file(options.prompt));
  std::string api_key;
  if (!options.api_key_file.empty()) {
    PB_TRY_VALUE(api_key, read_text_file(options.api_key_file));
  }
  core::json::Writer body;
  const auto text = [&](const char* name, const std::string& value) {
    if (!value.empty()) body.member(name, std::string_view(value));
  };
  body.begin_object();
  text("phone", options.phone);
  text("displayName", options.display_name);
  text("email", options.email);
  text("systemPrompt", prompt);
  text("apiKey", api_key);
  text("model", options.model);
  text("voice", options.voice);
  text("language", options.language);
  text("scheduleAtUtc", options.at);
  if (options.max_seconds > 0) body.member("maxSeconds", options.max_seconds);
  if (options.retries >= 0) body.member("retries", options.retries);
  if (options.retry_minutes > 0) body.member("retryDelayMinutes", options.retry_minutes);
  body.end_object();
  return body.take();
}

}  // namespace patchbay::app
