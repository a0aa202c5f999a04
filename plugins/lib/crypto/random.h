// Cryptographically secure random values (ids: patchbay/random_id.h). Any thread. Code::unavailable: the
// system provides no randomness.
#pragma once

#include <patchbay/result.h>

#include <string>

namespace patchbay::lib {

Result<std::string> random_bytes(size_t count);
// Characters of [0-9A-Za-z], 5.95 bits each: 43 of them hold 256 bits.
Result<std::string> random_base62(size_t count);

}  // namespace patchbay::lib
