// Password hashes: Argon2id (RFC 9106) in the encoded form "$argon2id$v=19$m=19456,t=2,p=1$salt$hash".
#pragma once

#include <patchbay/result.h>

#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

#include "identity_limits.h"

namespace patchbay::identity {

struct HashCost {
  uint32_t memory_kib = 19'456;
  uint32_t passes = 2;
  uint32_t lanes = 1;
};

// Returns the cost of an encoded hash. Error: not Argon2id version 19, or a cost beyond the limits.
Result<HashCost> read_cost(std::string_view encoded);
// [worker] Takes about 30 ms at the default cost.
Result<std::string> hash_password(std::string_view password, HashCost cost = {});
// [worker]
bool password_matches(std::string_view password, const std::string& encoded);
// Returns a random hash that no known password matches. Verifying against it takes as long as against a real
// hash of the same cost.
Result<std::string> dummy_hash(HashCost cost);

// Verifies one user's password. Any thread.
class Credential {
 public:
  // Exactly one of the two is "". prepare(), or the first matches(), hashes the password.
  Credential(std::string encoded, std::string password)
      : encoded_(std::move(encoded)), password_(std::move(password)) {}

  // [worker] Hashes the password unless that was done.
  void prepare();
  // [worker]
  bool matches(std::string_view password);
  // The hash. After prepare(); "" if that has failed. Before it, hashes the password [worker].
  std::string encoded();

 private:
  std::mutex mutex_;
  std::string encoded_;   // guarded by mutex_; "" until the password is hashed
  std::string password_;  // guarded by mutex_; erased when it is hashed
};

}  // namespace patchbay::identity
