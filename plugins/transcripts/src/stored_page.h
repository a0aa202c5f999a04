// reply_page(): answers a list route with a page of stored rows and their total.
#pragma once

#include <patchbay/services/http.h>
#include <patchbay/store.h>

#include <string>

#include "page/page_cursor.h"

namespace patchbay::transcripts {

// The statements of one list, and the JSON members of its rows (query_json). Rows are ordered as a cursor
// needs it.
struct StoredList {
  Statement count;  // takes the values of a filter
  Statement list;   // takes the same values, then limit, offset, and the time and id of a position
  std::string members;
  lib::CursorMembers cursor;
};

// [main strand] Answers 400 to an invalid cursor. `list` must live until the reply.
void reply_page(const Host& host, const StoredList& list, Values filter, const http::Request& request,
                Reply<http::Response> reply);

}  // namespace patchbay::transcripts
