// Writes the client's messages of the Gemini Live protocol (BidiGenerateContent), as JSON text. Pure
// functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "engine/engine.h"
#include "model_family.h"

namespace patchbay::engine_gemini {

struct SetupOptions {
  bool reduced = false;  // only the fields that every model accepts, for the retry after a refusal
  std::string handle;    // of the session to resume; empty: starts a new one
  std::string history;   // the conversation so far, for a new session in mid-call
};

std::string write_setup(const lib::SessionConfig& config, const ModelFamily& family,
                        const SetupOptions& options);
void write_audio(std::string& out, const int16_t* samples, size_t count);  // replaces `out`
std::string write_text(std::string_view text);                             // the model answers it now
std::string write_context(std::string_view text);                          // the model does not answer it
std::string write_tool_response(std::string_view id, std::string_view name, std::string_view output_json);

}  // namespace patchbay::engine_gemini
