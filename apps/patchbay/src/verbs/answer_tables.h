// Formats the server's answers for a terminal: calls, numbers, plugins, refused routes, transcripts,
// shares, mails. Pure; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "json/document.h"

namespace patchbay::app {

std::string calls_table(const core::json::Node& list);
std::string shares_table(const core::json::Node& list);
std::string mails_table(const core::json::Node& list);
std::string signing_keys_table(const core::json::Node& list);
std::string users_table(const core::json::Node& list);
std::string plugins_table(const core::json::Node& list);
// "GET /v1/calls: why" for each refused route in the body of /readyz.
std::vector<std::string> refused_routes(const core::json::Node& ready);
std::string numbers_table(const core::json::Node& list);
// A virtual number's record, a line per member; of the API key only whether there is one.
std::string number_text(const core::json::Node& number);
// A call's record as one line: "12:30:05  in-flight  attempt 1 through main".
std::string call_line(const core::json::Node& call);
// A header, then one line per turn.
std::string transcript_text(const core::json::Node& transcript);

bool is_final(std::string_view call_status);

}  // namespace patchbay::app
