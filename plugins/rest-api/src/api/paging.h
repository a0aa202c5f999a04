// Reads limit and offset of list requests, and writes the envelope of their responses.
#pragma once

#include <patchbay/result.h>

#include <cstdint>
#include <string>

#include "http/exchange.h"

namespace patchbay::rest_api {

struct Page {
  int64_t limit = 50;
  int64_t offset = 0;
};

constexpr int64_t kMaxLimit = 500;

// A limit above kMaxLimit is read as kMaxLimit. The error names the parameter and the bound.
Result<Page> read_page(const StringPairs& query);

// What a handler says of the page that it returns.
struct PageInfo {
  int64_t total = 0;   // of all pages
  std::string cursor;  // where the next page begins; "": by the offset
};

// Adds total, limit, offset and next to the response of a list: its body is a JSON object, or its bytes are
// the array "data". `next` keeps the other query parameters of the request.
void add_envelope(Response& response, const PageInfo& info, Page page, const Request& request);

}  // namespace patchbay::rest_api
