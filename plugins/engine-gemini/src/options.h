// What an operator may set for the gemini-live engine.
#pragma once

#include <functional>
#include <string>

#include "farewell.h"
#include "gemini/recovery.h"
#include "gemini/watchdog.h"
#include "json_source.h"

namespace patchbay::ai_voice::gemini {

struct Options {
  JsonSource json;
  std::string url =
      "wss://generativelanguage.googleapis.com/ws/"
      "google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent";
  std::string ca_file;  // trusted beside the system's authorities
  bool verify_peer = true;
  std::function<bool(const std::string& address)> allow_address;  // see WebSocketOptions
  int setup_timeout_ms = 10000;                                   // of one connection
  int max_age_ms = 50 * 60 * 1000;  // then a connection is replaced in a quiet moment
  int greeting_protect_ms = 1000;   // an interruption so early in the greeting does not cut it
  int prebuffer_ms = 80;
  int silence_ms = 500;
  int prefix_padding_ms = 200;
  int compress_at_tokens = 25000;
  WatchdogTimes watchdog;
  RecoveryTimes recovery;
  FarewellTimes farewell;
};

}  // namespace patchbay::ai_voice::gemini
