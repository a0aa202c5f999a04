// The voices that a call may ask for, by name. The only list: the schema of POST /v1/calls is made from it,
// and an engine with voices of its own maps each (engine-local does not compile until it has a sound for
// all).
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
