// Options with the manifest's defaults, for a test server.
#pragma once

#include <string>

#include "options.h"
#include "plugins/lib/engine/json_parser.h"

namespace patchbay::engine_gemini::test {

inline Options options_for(const std::string& url, const std::string& ca_file) {
  Options out;
  out.json = lib::test::json();
  out.url = url;
  out.ca_file = ca_file;
  out.setup_timeout_ms = 10000;
  out.reconnect.budget_ms = 30000;
  return out;
}

}  // namespace patchbay::engine_gemini::test
