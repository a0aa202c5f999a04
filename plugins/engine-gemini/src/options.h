// Options of the engine. Members without a value here are settings; settings.schema.json has
// their defaults.
#pragma once

#include <functional>
#include <string>

#include "engine/farewell.h"
#include "engine/json_parser.h"
#include "reconnect_policy.h"
#include "silence_watchdog.h"

namespace patchbay::engine_gemini {

struct Options {
  lib::JsonParser json;
  std::string url;
  std::string ca_file;  // trusted in addition to the system's authorities
  bool verify_peer = true;
  std::function<bool(const std::string& address)> allow_address;  // see WebSocketOptions
  int setup_timeout_ms = 0;                                       // of one connection
  int max_age_ms = 50 * 60 * 1000;  // then a connection is replaced at the next moment of silence
  int greeting_protect_ms = 1000;   // interruptions of the greeting are ignored for this time
  int prebuffer_ms = 80;
  int silence_ms = 500;
  int prefix_padding_ms = 200;
  int compress_at_tokens = 25000;
  SilenceWatchdogTimes watchdog;
  ReconnectTimes reconnect;
  lib::FarewellTimes farewell;
};

}  // namespace patchbay::engine_gemini
