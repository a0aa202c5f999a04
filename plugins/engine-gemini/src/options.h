// What can be set for the engine. The members without a value here are settings: manifest.json has their
// defaults.
#pragma once

#include <functional>
#include <string>

#include "engine/farewell.h"
#include "engine/json_parser.h"
#include "reconnect_policy.h"
#include "silence_watchdog.h"

namespace patchbay::engine_gemini {

struct Options {
  lib::JsonSource json;
  std::string url;
  std::string ca_file;  // trusted beside the system's authorities
  bool verify_peer = true;
  std::function<bool(const std::string& address)> allow_address;  // see WebSocketOptions
  int setup_timeout_ms = 0;                                       // of one connection
  int max_age_ms = 50 * 60 * 1000;  // then a connection is replaced in a quiet moment
  int greeting_protect_ms = 1000;   // an interruption so early in the greeting does not cut it
  int prebuffer_ms = 80;
  int silence_ms = 500;
  int prefix_padding_ms = 200;
  int compress_at_tokens = 25000;
  WatchdogTimes watchdog;
  RecoveryTimes recovery;
  lib::FarewellTimes farewell;
};

}  // namespace patchbay::engine_gemini
