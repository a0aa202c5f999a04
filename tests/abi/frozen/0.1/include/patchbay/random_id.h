// random_id(): ids of rows, jobs and calls, and links that must not be guessed.
//
// Jobs and events of a transaction cannot refer to the key that {{ID}} generates for a row, because it is not
// known before the commit. An id generated beforehand can be put into all of them:
//
//   PB_TRY_VALUE(const std::string id, random_id("note-"));
//   tx.exec(insert_, {id, text}).job("remind", id, due_ms);
#pragma once

#include <sys/random.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "hex.h"
#include "result.h"

namespace patchbay {

// Returns `prefix` and `digits` random lower-case hexadecimal digits of 4 bits each: 24 suffice for ids that
// do not collide, 32 for secrets. At most 512 digits. Error: the system has no random numbers. Any thread;
// does not block once the machine has started.
inline Result<std::string> random_id(std::string_view prefix = {}, std::size_t digits = 24) {
  constexpr std::size_t kMaxDigits = 512;
  if (digits > kMaxDigits) return {Code::invalid, "an id has at most 512 random digits"};
  unsigned char bytes[kMaxDigits / 2];
  // Up to 256 bytes come whole.
  if (::getrandom(bytes, (digits + 1) / 2, 0) < 0)
    return {Code::unavailable, "the system has no random numbers"};
  std::string id(prefix);
  for (std::size_t i = 0; i < digits; ++i)
    id += kHexDigits[i % 2 == 0 ? bytes[i / 2] >> 4U : bytes[i / 2] & 0xFU];
  return id;
}

}  // namespace patchbay
