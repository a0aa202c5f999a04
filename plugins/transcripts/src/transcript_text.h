// Values of a transcript as text for people. Pure; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "text/escape_html.h"

namespace patchbay::transcripts {

using lib::escape_html;

// "20 November 2026, 07:00 UTC", "2 min 5 s", and a phrase for an outcome: "The other side hung up".
std::string date_text(int64_t time_ms);
std::string duration_text(int64_t seconds);
std::string outcome_text(std::string_view outcome);
// The time since the beginning of the call: "1:05", "1:02:03".
std::string offset_text(int64_t seconds);

}  // namespace patchbay::transcripts
