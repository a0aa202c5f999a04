// Parses the server's messages of the Gemini Live protocol. One message may carry several fields. Unknown
// fields are ignored; fields of a wrong type count as absent.
#pragma once

#include <patchbay/result.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "detached_audio.h"
#include "engine/json_parser.h"

namespace patchbay::engine_gemini {

struct AudioPart {
  int rate_hz = 24000;
  std::string bytes;  // 16-bit little-endian mono; a sample may be split between two parts
};

struct FunctionCall {
  std::string id;
  std::string name;
  std::string args_json = "{}";
};

struct UsageReport {
  int64_t prompt = 0;
  int64_t response = 0;
  int64_t total = 0;
  int64_t thoughts = 0;
  int64_t cached = 0;
};

struct Resumption {
  std::string handle;
  bool resumable = false;
};

struct ServerMessage {
  bool setup_complete = false;
  std::vector<AudioPart> audio;
  std::string input_text;
  std::string output_text;
  bool interrupted = false;
  bool generation_complete = false;
  bool turn_complete = false;
  std::string turn_complete_reason;
  std::vector<FunctionCall> calls;
  std::vector<std::string> cancelled_calls;
  std::optional<UsageReport> usage;
  std::optional<Resumption> resumption;
  std::optional<int> go_away_ms;
  std::string error;
};

// Thread-safe. Code::invalid for anything but a JSON object.
Result<ServerMessage> parse_server_message(const lib::JsonParser& json, std::string_view bytes);
// The same for the rest of a message, taking the audio of its marks.
Result<ServerMessage> parse_server_message(const lib::JsonParser& json, DetachedAudio& audio);

}  // namespace patchbay::engine_gemini
