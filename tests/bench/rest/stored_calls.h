// Fills the database of a stopped server with calls.
#pragma once

#include <patchbay/result.h>

#include <cstdint>
#include <string>

namespace patchbay::bench {

// Adds copies of the stored call that have ended, a tenth of a second apart, and returns how many there are.
Result<int64_t> add_stored_calls(const std::string& database, int64_t count);

}  // namespace patchbay::bench
