#include "config.h"

#include <unistd.h>

#include <string>
#include <utility>

#include "websocket/url.h"

namespace patchbay::engine_gemini {

Result<Options> read_settings(const Config& config) {
  const std::string where = "plugins.engine-gemini.";
  const JsonView section = config.plugin();
  Options options;
  options.url = section["url"].text();
  if (auto parsed = lib::parse_websocket_url(options.url); !parsed)
    return std::move(parsed).error().within(where + "url");
  options.ca_file = section["caFile"].text();
  if (!options.ca_file.empty() && access(options.ca_file.c_str(), R_OK) != 0)
    return Error{Code::invalid, where + "caFile cannot be read: " + options.ca_file};
  options.setup_timeout_ms = static_cast<int>(section["setupMs"].integer());
  options.recovery.budget_ms = static_cast<int>(section["resumeMs"].integer());
  return options;
}

}  // namespace patchbay::engine_gemini
