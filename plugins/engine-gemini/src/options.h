// Options of the engine. Members with a default are in gemini_limits.h and differ only in tests; the others
// are settings, whose defaults are in settings.schema.json.
#pragma once

#include <functional>
#include <string>

#include "engine/caller_audio.h"
#include "engine/farewell.h"
#include "engine/json_parser.h"
#include "gemini_limits.h"
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
  int silence_ms = lib::CallerAudio::kFrameMs;                    // see CallerAudio; a setting
  int greeting_protect_ms = kGreetingProtectMs;
  SilenceWatchdogTimes watchdog;
  ReconnectTimes reconnect;
  lib::FarewellTimes farewell;
};

}  // namespace patchbay::engine_gemini
