// Replaces secrets in log lines. Thread-safe.
#pragma once

#include <bitset>
#include <cstdint>
#include <map>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>

namespace patchbay::core::observe {

// Where the secret comes from. The operator's configuration is trusted; a plugin may pass on a value that a
// tenant chose.
enum class SecretFrom : uint8_t { config, plugin };

class Redactor {
 public:
  // Redacts the value as it is and as it appears in URLs, JSON and base64. Counted: it is redacted until it
  // was removed as often as it was added. Returns false if the value is not redacted: it is too short, or it
  // comes from a plugin and does not look random (patchbay/looks_random.h), because a tenant could otherwise
  // hide words in other tenants' lines.
  bool add(std::string_view secret, SecretFrom from = SecretFrom::config);
  void remove(std::string_view secret, SecretFrom from = SecretFrom::config);

  // Returns the value of a field with every secret replaced by [redacted], the longest first where they
  // overlap.
  std::string value(std::string_view text) const;
  // The same for the text of an event. Replaces only the configuration's secrets, because the text is a
  // constant in code.
  std::string sentence(std::string_view text) const;

  // Whether a field of that name is redacted whatever its value: apiKey, X-Api-Key, password, refreshToken,
  // ...
  static bool is_secret_name(std::string_view name);

 private:
  // Counted values, sorted. Finding the longest value that a text begins with takes few steps, however many
  // of them share a prefix.
  class Set {
   public:
    void add(std::string value);
    void remove(const std::string& value);
    std::string apply(std::string_view text) const;

   private:
    size_t match(std::string_view text) const;
    std::map<std::string, uint32_t, std::less<>> values_;
    std::unordered_map<uint64_t, uint32_t> beginnings_;  // counts of their first kMinRedactedBytes bytes
    // Their first two bytes, those of removed ones included: a quick test that rejects most positions.
    std::bitset<65536> pairs_;
  };

  mutable std::shared_mutex mutex_;
  Set of_config_;
  Set all_;
};

}  // namespace patchbay::core::observe
