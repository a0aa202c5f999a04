// The values that no log line may show. Thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>

namespace patchbay::core::observe {

// Who named the secret. The operator's configuration is trusted; a plugin may hand on what a tenant chose.
enum class SecretFrom : uint8_t { config, plugin };

class Redactor {
 public:
  // Shorter ones would blot out ordinary words; they are not taken.
  static constexpr size_t kMinSize = 6;

  // Counted: a value is redacted until it was removed as often as added. False when it is not taken: it is
  // too short, or comes from a plugin and does not look random (patchbay/looks_random.h), because a tenant
  // could blot out other tenants' lines with it. Redacted as it is and as it stands in URLs, JSON and base64.
  bool add(std::string_view secret, SecretFrom from = SecretFrom::config);
  void remove(std::string_view secret, SecretFrom from = SecretFrom::config);

  // The value of a field with every secret replaced by [redacted], the longest first where they overlap.
  std::string value(std::string_view text) const;
  // The same for the sentence of an event, which is a constant: only the configuration's secrets.
  std::string sentence(std::string_view text) const;

  // Whether a field of that name is redacted whatever it holds: apiKey, X-Api-Key, password, refreshToken,
  // ...
  static bool is_secret_name(std::string_view name);

 private:
  // Counted values, sorted: finding the longest one that a text begins with takes a few steps however many
  // begin alike.
  class Set {
   public:
    void add(std::string value);
    void remove(const std::string& value);
    std::string apply(std::string_view text) const;

   private:
    size_t match(std::string_view text) const;
    std::map<std::string, uint32_t, std::less<>> values_;
    std::unordered_map<uint64_t, uint32_t> beginnings_;  // their first kMinSize bytes, counted
  };

  mutable std::shared_mutex mutex_;
  Set of_config_;
  Set all_;
};

}  // namespace patchbay::core::observe
