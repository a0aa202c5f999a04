// Formats text and tables for a terminal. Pure; any thread.
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

}  // namespace patchbay::app
