// Parses the query of the list. Pure; any thread.
#pragma once

#include <patchbay/name_values.h>
#include <patchbay/result.h>

#include <cstdint>
#include <string>

namespace patchbay::transcripts {

// Parameters of the statements "count" and "list".
struct Filter {
  std::string source;  // "": all
  int64_t since_ms = 0;
  std::string pattern;  // for LIKE with '!' as escape; "": all
};

// Error invalid: `since` is not a time. The route's schema validates the rest.
Result<Filter> read_filter(const NameValues& query);

}  // namespace patchbay::transcripts
