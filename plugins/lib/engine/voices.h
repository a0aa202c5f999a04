// Names of the voices that a call may ask for; the only list of them. ai-voice generates the schema of
// POST /v1/calls from it, and engine-local maps each name to a voice of its synthesiser (a name without one
// does not compile).
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace patchbay::lib {

inline constexpr std::array<std::string_view, 14> kVoices{
    "Achird",    "Aoede", "Autonoe", "Charon",    "Erinome", "Fenrir",  "Kore",
    "Laomedeia", "Orus",  "Puck",    "Sadachbia", "Schedar", "Umbriel", "Zephyr"};

inline constexpr std::string_view kDefaultVoice = "Aoede";

constexpr bool is_voice(std::string_view name) {
  return std::find(kVoices.begin(), kVoices.end(), name) != kVoices.end();
}
static_assert(is_voice(kDefaultVoice));

}  // namespace patchbay::lib
