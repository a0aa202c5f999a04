// The client's messages of the Gemini Live protocol (BidiGenerateContent), as JSON text. Pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "engine/engine.h"
#include "model_family.h"

namespace patchbay::engine_gemini {

struct SetupOptions {
  bool reduced = false;         // only what every model accepts: the retry after a refusal
  std::string handle;           // resumes a session; empty: a new one
  std::string history;          // what was said so far, for a new session that carries on
  int silence_ms = 500;         // end of the caller's turn
  int prefix_padding_ms = 200;  // sound kept from before the caller's start
  int64_t compress_at_tokens = 25000;
};

std::string write_setup(const lib::SessionConfig& config, const Family& family, const SetupOptions& options);
void write_audio(std::string& out, const int16_t* samples, size_t count);  // replaces `out`
std::string write_text(std::string_view text);                             // to be answered now
std::string write_context(std::string_view text);                          // only to be known
std::string write_tool_response(std::string_view id, std::string_view name, std::string_view output_json);

}  // namespace patchbay::engine_gemini
