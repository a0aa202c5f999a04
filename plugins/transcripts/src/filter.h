// The list's query. Pure; any thread.
#pragma once

#include <patchbay/json.h>
#include <patchbay/result.h>

#include <cstdint>
#include <string>

namespace patchbay::transcripts {

// As the statements "count" and "list" want it.
struct Filter {
  std::string source;  // "" for all
  int64_t since_ms = 0;
  std::string pattern;  // for LIKE with '!' as escape; "" for all
};

// Error: `since` is not a time. The route's schema has judged the rest.
Result<Filter> read_filter(JsonView query);

}  // namespace patchbay::transcripts
