// The cursor in `next` of the list of calls: the position of a page's last call. Pure; any thread.
#pragma once

#include <patchbay/result.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace patchbay::ai_voice {

// The list has the newest calls first, and those of one millisecond by their ids.
struct CallPosition {
  int64_t created_ms = std::numeric_limits<int64_t>::max();  // before the newest call
  std::string call_id = {};

  bool is_begin() const noexcept { return created_ms == std::numeric_limits<int64_t>::max(); }
};

// Parses "1790000000000.oac-0123456789ab"; "" is the begin. Error: it is not a cursor of this list.
Result<CallPosition> read_cursor(std::string_view text);

// The following read a page as CallStore gets it: a JSON array of records, at least one, whose first member
// is callId. They look for text that no value can contain, because its quotes would be escaped.
//
// The cursor after the last record.
std::string cursor_after(std::string_view records);
// The page without its last record.
std::string without_last(std::string_view records);

}  // namespace patchbay::ai_voice
