// The values that no log line may show. Thread-safe.
#pragma once

#include <cstdint>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace patchbay::core::observe {

class Redactor {
 public:
  // Shorter ones would blot out ordinary words; they are not taken.
  static constexpr size_t kShortest = 6;

  // Counted: a value is redacted until it was removed as often as added. False when it is too short.
  bool add(std::string_view secret);
  void remove(std::string_view secret);

  // `text` with every secret replaced by [redacted], the longest first where they overlap.
  std::string apply(std::string_view text) const;

  // Whether a field of that name is redacted whatever it holds: apiKey, X-Api-Key, password, refreshToken,
  // ...
  static bool is_secret_name(std::string_view name);

 private:
  struct Secret {
    std::string value;
    uint32_t uses;
  };

  mutable std::shared_mutex mutex_;
  // By the first kShortest bytes, so that a line is searched once however many secrets there are; each list
  // from long to short.
  std::unordered_map<std::string, std::vector<Secret>> secrets_;
};

}  // namespace patchbay::core::observe
