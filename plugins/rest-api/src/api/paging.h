// Reads limit and offset of list requests, and writes the envelope of their responses.
#pragma once

#include <patchbay/result.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "http/request_target.h"

namespace patchbay::rest_api {

struct Page {
  int64_t limit = 50;
  int64_t offset = 0;
};

constexpr int64_t kMaxLimit = 500;

// A limit above kMaxLimit is read as kMaxLimit. The error names the parameter and the bound.
Result<Page> read_page(const StringPairs& query);

// Appends total, limit, offset and next to `body`, a serialised JSON object. `path` is as the client wrote
// it; `next` keeps the other query parameters.
std::string with_envelope(std::string_view body, int64_t total, Page page, std::string_view path,
                          const StringPairs& query);

}  // namespace patchbay::rest_api
