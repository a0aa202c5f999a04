#include "read_settings.h"

#include <unistd.h>

#include <string>
#include <utility>

#include "websocket/url.h"

namespace patchbay::engine_gemini {

Result<Settings> Settings::read(const Config& config) {
  const std::string path = "plugins.engine-gemini.";
  const JsonView section = config.plugin();
  Settings settings;
  settings.url = section["url"].text();
  if (auto parsed = lib::parse_websocket_url(settings.url); !parsed)
    return std::move(parsed).error().within(path + "url");
  settings.ca_file = section["caFile"].text();
  if (!settings.ca_file.empty() && access(settings.ca_file.c_str(), R_OK) != 0)
    return Error{Code::invalid, path + "caFile cannot be read: " + settings.ca_file};
  settings.setup_ms = static_cast<int>(section["setupMs"].integer());
  settings.silence_ms = static_cast<int>(section["silenceMs"].integer());
  settings.resume_ms = static_cast<int>(section["resumeMs"].integer());
  return settings;
}

}  // namespace patchbay::engine_gemini
