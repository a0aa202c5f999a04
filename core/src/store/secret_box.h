// Secrets at rest: AES-256-GCM under a key that lives in a file beside, not inside, the database.
//
// Sealed bytes: version 1, key id (4), nonce (12), cipher text, tag (16). The context (e.g.
// "webhook-secret/42") is authenticated and not stored: what was sealed for one row cannot be unsealed as
// another.
//
// The key file holds one or more keys of 32 bytes. The first seals; all unseal. To rotate, put a new key in
// front.
#pragma once

#include <patchbay/result.h>

#include <array>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace patchbay::core {

// Immutable once opened: any thread.
class SecretBox {
 public:
  // Creates the file with a random key, mode 0600, when it is absent. Code::denied when others may read it.
  static Result<SecretBox> open(const std::filesystem::path& key_file);
  SecretBox(SecretBox&&) noexcept = default;
  SecretBox& operator=(SecretBox&&) noexcept = default;
  ~SecretBox();

  // 1 GiB at most; more is Code::exhausted.
  Result<std::string> seal(std::string_view plain, std::string_view context) const;
  // Code::not_found: sealed with a key we do not have. Code::denied: altered, or another context.
  Result<std::string> unseal(std::string_view sealed, std::string_view context) const;
  // False when the first key did not seal it: worth sealing anew.
  bool is_current(std::string_view sealed) const;

 private:
  using KeyId = std::array<unsigned char, 4>;
  struct Key {
    KeyId id;
    std::array<unsigned char, 32> bytes;
  };
  SecretBox() = default;
  std::vector<Key> keys_;
};

}  // namespace patchbay::core
