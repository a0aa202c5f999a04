#include "verbs/call_request.h"

#include <fstream>
#include <sstream>

#include "json/writer.h"

namespace patchbay::app {
namespace {

Result<std::string> read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) return {Code::invalid, "cannot read " + path};
  std::string read = text.str();
  while (!read.empty() && read.back() == '\n') read.pop_back();
  return read;
}

}  // namespace

Result<std::string> call_request(const CallOptions& options) {
  std::string prompt = options.prompt;
  std::string api_key;
  if (!prompt.empty() && prompt.front() == '@') {
    PB_TRY_VALUE(prompt, read_file(prompt.substr(1)));
  }
  if (!options.api_key_file.empty()) {
    PB_TRY_VALUE(api_key, read_file(options.api_key_file));
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
