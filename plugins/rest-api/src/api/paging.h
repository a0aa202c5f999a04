// Lists: limit and offset on the way in, the envelope on the way out.
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

// A limit above 500 is 500. Errors name the parameter and the bound.
Result<Page> read_page(const NamedValues& query);

// `body` is a written JSON object; total, limit, offset and next become its last members. `path` is raw, as
// the client wrote it; the other query parameters are carried on in `next`.
std::string with_envelope(std::string_view body, int64_t total, Page page, std::string_view path,
                          const NamedValues& query);

}  // namespace patchbay::rest_api
