// What differs between the families of live models, as data.
#pragma once

#include <string_view>

namespace patchbay::engine_gemini {

struct Family {
  const char* name;
  const char*
      thinking;  // value of generationConfig.thinkingConfig, nullptr: the field is refused or unneeded
  const char* tool_behavior;  // value of functionDeclarations[].behavior, nullptr: leave the field out
  bool full_setup;            // language, voice activity and compression settings are known to be accepted
  bool client_content;        // context may be added at any time, not only as a seed
  bool hold_audio_in_tool;    // caller audio during an open tool call closes the connection
};

// By the model's name, with or without "models/". Unknown names get the smallest setup.
const Family& family_of(std::string_view model);

}  // namespace patchbay::engine_gemini
