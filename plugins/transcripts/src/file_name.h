// Names of transcript files. Valid names cannot leave their folder. Pure functions; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace patchbay::transcripts {

// 1 to 64 letters, digits, '-' and '_', a letter or digit first.
bool is_call_id(std::string_view text);

// A host name in lower case: 1 to 253 letters, digits, '-', '_' and '.', a letter or digit first, no "..".
bool is_tenant(std::string_view text);

// "<callId>.json", from attempt 2 on "<callId>-<attempt>.json".
std::string file_name(std::string_view call_id, int64_t attempt);

}  // namespace patchbay::transcripts
