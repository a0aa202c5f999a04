// Formats the server's JSON for a terminal. Pure; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "json/document.h"

namespace patchbay::app {

// A member as text: strings without control characters, numbers and booleans as written, "" for null and
// missing members.
std::string member(const core::json::Node& object, std::string_view name);
// Replaces control characters by blanks, so that received text cannot control the terminal.
std::string harmless(std::string_view text);

// Aligns columns under their headings, two blanks apart; "none\n" without rows.
std::string table(const std::vector<std::string>& headings,
                  const std::vector<std::vector<std::string>>& rows);

std::string calls_table(const core::json::Node& list);
std::string plugins_table(const core::json::Node& list);
// "GET /v1/calls: why" for each refused route in the body of /readyz.
std::vector<std::string> refused_routes(const core::json::Node& ready);
// A call's record as one line: "12:30:05  in-flight  attempt 1 through main".
std::string call_line(const core::json::Node& call);
// A header, then one line per turn.
std::string transcript_text(const core::json::Node& transcript);

bool is_final(std::string_view call_status);

}  // namespace patchbay::app
