// What people read on the terminal, made from the server's JSON. Pure; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "json/document.h"

namespace patchbay::app {

// A member as text: strings without control characters, numbers and booleans as written, null and what is
// missing as "".
std::string member(const core::json::Node& object, std::string_view name);
// Text of strangers on a terminal: control characters become blanks.
std::string harmless(std::string_view text);

// Columns under their headings, two blanks apart; no rows give "none\n".
std::string table(const std::vector<std::string>& headings,
                  const std::vector<std::vector<std::string>>& rows);

std::string calls_table(const core::json::Node& list);
std::string plugins_table(const core::json::Node& list);
// "GET /v1/calls: why" of each route that the server refused a plugin, from what /readyz says.
std::vector<std::string> refused_routes(const core::json::Node& ready);
// "12:30:05  in-flight  attempt 1 through main" of a call's record.
std::string call_line(const core::json::Node& call);
// A head of two lines, then each turn under its speaker.
std::string transcript_text(const core::json::Node& transcript);

bool is_final(std::string_view call_status);

}  // namespace patchbay::app
