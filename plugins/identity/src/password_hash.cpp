#include "password_hash.h"

#include <argon2.h>
#include <openssl/crypto.h>
#include <patchbay/text.h>

#include <algorithm>
#include <charconv>

#include "crypto/random.h"

namespace patchbay::identity {
namespace {

constexpr size_t kSaltSize = 16;
constexpr size_t kHashSize = 32;

// Removes `text` and the number after it from the front.
bool take(std::string_view& from, std::string_view text, uint32_t& number) {
  if (from.substr(0, text.size()) != text) return false;
  from.remove_prefix(text.size());
  const auto [end, error] = std::from_chars(from.data(), from.data() + from.size(), number);
  if (error != std::errc() || end == from.data()) return false;
  from.remove_prefix(static_cast<size_t>(end - from.data()));
  return true;
}

bool is_base64(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(),
                                      [](char c) { return is_alphanumeric(c) || c == '+' || c == '/'; });
}

}  // namespace

Result<HashCost> read_cost(std::string_view encoded) {
  HashCost cost;
  uint32_t version = 0;
  if (!take(encoded, "$argon2id$v=", version) || version != ARGON2_VERSION_13 ||
      !take(encoded, "$m=", cost.memory_kib) || !take(encoded, ",t=", cost.passes) ||
      !take(encoded, ",p=", cost.lanes) || encoded.empty() || encoded.front() != '$')
    return {Code::invalid, "not an encoded Argon2id hash ($argon2id$v=19$m=...,t=...,p=...$salt$hash)"};
  encoded.remove_prefix(1);
  const size_t middle = encoded.find('$');
  if (middle == std::string_view::npos || !is_base64(encoded.substr(0, middle)) ||
      !is_base64(encoded.substr(middle + 1)))
    return {Code::invalid, "the salt or the hash is not base64 without padding"};
  if (cost.memory_kib > kMaxHashMemoryKib || cost.passes < 1 || cost.passes > kMaxHashPasses ||
      cost.lanes < 1 || cost.lanes > kMaxHashLanes)
    return {Code::invalid, "the hash costs more than 1 GiB, 64 passes or 16 lanes"};
  return cost;
}

Result<std::string> hash_password(std::string_view password, HashCost cost) {
  PB_TRY_VALUE(const std::string salt, lib::random_bytes(kSaltSize));
  std::string encoded(
      argon2_encodedlen(cost.passes, cost.memory_kib, cost.lanes, kSaltSize, kHashSize, Argon2_id), '\0');
  const int status =
      argon2id_hash_encoded(cost.passes, cost.memory_kib, cost.lanes, password.data(), password.size(),
                            salt.data(), salt.size(), kHashSize, encoded.data(), encoded.size());
  if (status != ARGON2_OK) return {Code::failed, argon2_error_message(status)};
  encoded.resize(encoded.find('\0'));
  return encoded;
}

bool password_matches(std::string_view password, const std::string& encoded) {
  return argon2id_verify(encoded.c_str(), password.data(), password.size()) == ARGON2_OK;
}

Result<std::string> dummy_hash(HashCost cost) {
  PB_TRY_VALUE(const std::string salt, lib::random_base62(22));
  PB_TRY_VALUE(const std::string hash, lib::random_base62(43));
  // The last characters must be 'A', because they have unused bits that must be 0.
  return "$argon2id$v=19$m=" + std::to_string(cost.memory_kib) + ",t=" + std::to_string(cost.passes) +
         ",p=" + std::to_string(cost.lanes) + "$" + salt.substr(0, 21) + "A$" + hash.substr(0, 42) + "A";
}

void Credential::prepare() { encoded(); }

bool Credential::matches(std::string_view password) { return password_matches(password, encoded()); }

std::string Credential::encoded() {
  const std::lock_guard lock(mutex_);
  if (encoded_.empty()) {
    if (auto made = hash_password(password_)) {
      encoded_ = *std::move(made);
      OPENSSL_cleanse(password_.data(), password_.size());
      password_.clear();
    }
  }
  return encoded_;
}

}  // namespace patchbay::identity
