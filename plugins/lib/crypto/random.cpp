#include "crypto/random.h"

#include <openssl/rand.h>

namespace patchbay::lib {

Result<std::string> random_bytes(size_t count) {
  std::string out(count, '\0');
  if (RAND_bytes(reinterpret_cast<unsigned char*>(out.data()), static_cast<int>(count)) != 1)
    return {Code::unavailable, "the system gives no random numbers"};
  return out;
}

Result<std::string> random_base62(size_t count) {
  static constexpr char kDigits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  constexpr unsigned kUniformLimit = 256 / 62 * 62;  // larger bytes would favour the first digits
  std::string out;
  while (out.size() < count) {
    PB_TRY_VALUE(const std::string bytes, random_bytes(count + 8));
    for (const char c : bytes) {
      const auto byte = static_cast<unsigned char>(c);
      if (byte < kUniformLimit && out.size() < count) out += kDigits[byte % 62];
    }
  }
  return out;
}

}  // namespace patchbay::lib
