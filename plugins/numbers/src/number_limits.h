// The limits of numbers that are not settings.
#pragma once

#include <cstdint>

namespace patchbay::numbers {

// Numbers of a tenant that were created over REST; a further one is 409. A list reads them all from an index.
inline constexpr int64_t kMaxNumbersPerTenant = 10'000;
// Of POST and PATCH: a systemPrompt of 100,000 characters of four bytes and the rest.
inline constexpr int64_t kMaxBodyBytes = 1024 * 1024;

}  // namespace patchbay::numbers
