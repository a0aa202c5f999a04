// Ids for what a plugin makes: rows, jobs, calls, links that must not be guessed.
//
// A transaction is data, so the key that {{ID}} gives to a row is not known to the jobs and events beside it.
// An id that is made before it can be put into all of them:
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

// `prefix` and `digits` lower-case hexadecimal digits, 4 bits each: 24 are enough for ids that never collide,
// 32 for one that is a secret as well. At most 512 digits. Error: the system has no randomness to give. Any
// thread; does not block once the machine has started.
inline Result<std::string> random_id(std::string_view prefix = {}, std::size_t digits = 24) {
  constexpr std::size_t kMost = 512;
  if (digits > kMost) return {Code::invalid, "an id has at most 512 random digits"};
  unsigned char bytes[kMost / 2];
  // Up to 256 bytes come whole.
  if (::getrandom(bytes, (digits + 1) / 2, 0) < 0)
    return {Code::unavailable, "the system gives no random numbers"};
  std::string id(prefix);
  for (std::size_t i = 0; i < digits; ++i)
    id += kHexDigits[i % 2 == 0 ? bytes[i / 2] >> 4U : bytes[i / 2] & 0xFU];
  return id;
}

}  // namespace patchbay
