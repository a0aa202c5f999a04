// The differences between the families of live models, as data.
#pragma once

#include <string_view>

namespace patchbay::engine_gemini {

struct ModelFamily {
  const char* name;
  const char* thinking;       // value of generationConfig.thinkingConfig; nullptr: omit the field
  const char* tool_behavior;  // value of functionDeclarations[].behavior; nullptr: omit the field
  bool full_setup;            // the server accepts language, voice activity and compression settings
  bool client_content;        // the server accepts context at any time, not only before the first turn
  bool hold_audio_in_tool;    // the server closes the connection on caller audio during a tool call
};

// `model`: with or without "models/". An unknown model gets the smallest setup.
const ModelFamily& model_family(std::string_view model);

}  // namespace patchbay::engine_gemini
