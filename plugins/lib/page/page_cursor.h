// The cursor in `next` of a list that has the newest rows first, and those of one millisecond by their ids:
// the position of a page's last row, from which the next page is found without skipping rows. Pure; any
// thread.
//
//   ... AND (created_ms, id) < ($3, $4) ORDER BY created_ms DESC, id DESC LIMIT $5 OFFSET $6
#pragma once

#include <patchbay/buffer.h>
#include <patchbay/result.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace patchbay::lib {

struct PagePosition {
  int64_t time_ms = std::numeric_limits<int64_t>::max();  // before the newest row
  std::string id = {};

  bool is_begin() const noexcept { return time_ms == std::numeric_limits<int64_t>::max(); }
};

// The parameter `cursor` of a list route, in its query_schema.
inline constexpr std::string_view kCursorSchema =
    R"("cursor": {"type": "string", "maxLength": 120, "description": "Where the page begins; only as `next` of the page before has it"})";

// Parses "1790000000000.oac-0123456789ab"; "" is the begin. An id has up to 100 letters, digits, '-', '_' and
// '.'. Error: it is not a cursor, for a response with status 400.
Result<PagePosition> read_page_cursor(std::string_view text);
std::string page_cursor(const PagePosition& position);

// How many rows to read for a page of `limit` rows: one more after a cursor, which shows whether there is a
// next page, because rows may have been added or removed since the first page, so that offset and total do
// not.
int64_t rows_to_read(const PagePosition& after, int64_t limit);

// What `next` is made of.
struct PageEnd {
  size_t count = 0;  // of the rows that were read, those of the page
  bool has_next = false;
};
PageEnd page_end(const PagePosition& after, size_t rows, int64_t limit, int64_t offset, int64_t total);

// A page as the host writes it (query_json): a JSON array of objects.
struct JsonPage {
  Buffer items;
  std::string next_cursor;  // "": it is the last one
};
// The members of a list's items that are the first one, the time (ISO 8601) and the id.
struct CursorMembers {
  const char* first;
  const char* time;
  const char* id;
};
// Removes the row that was read beyond the page, and finds the cursor of the next one. It looks for text that
// no value can contain, because its quotes would be escaped.
JsonPage json_page(Buffer items, const PageEnd& end, size_t rows, const CursorMembers& members);

}  // namespace patchbay::lib
