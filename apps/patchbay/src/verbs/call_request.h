// Builds the body of POST /v1/calls from command-line options. Pure; any thread.
#pragma once

#include <patchbay/result.h>

#include <string>

namespace patchbay::app {

struct CallOptions {
  std::string phone;
  std::string prompt;  // text, a configured slug, or @FILE
  std::string display_name;
  std::string email;
  std::string api_key_file;  // a file, because arguments are visible in the list of processes
  std::string model;
  std::string voice;
  std::string language;
  std::string at;         // ISO 8601, UTC
  int max_seconds = 0;    // 0: the server's default
  int retries = -1;       // -1: the server's default
  int retry_minutes = 0;  // 0: the server's default
};

// Error: a file that cannot be read.
Result<std::string> call_request(const CallOptions& options);

}  // namespace patchbay::app
