// Encrypts secrets at rest: AES-256-GCM under a key file, which is kept outside the database.
//
// Sealed bytes: version 1, key id (4), nonce (12), cipher text, tag (16). The context (e.g.
// "webhook-secret/42") is authenticated and not stored, so that a secret sealed for one row cannot be
// unsealed for another.
//
// The key file holds one or more keys of 32 bytes. The first seals; each unseals what it sealed. To rotate,
// insert a new key at the front.
#pragma once

#include <patchbay/result.h>

#include <array>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace patchbay::core {

// Immutable after open(), so any thread may use it.
class SecretBox {
 public:
  // Creates a missing file with a random key and mode 0600; `durable`: and waits until it is on the disk.
  // Fails with Code::denied when other users may read the file.
  static Result<SecretBox> open(const std::filesystem::path& key_file, bool durable = true);
  SecretBox(SecretBox&&) noexcept = default;
  SecretBox& operator=(SecretBox&&) noexcept = default;
  ~SecretBox();

  // Fails with Code::exhausted beyond 1 GiB.
  Result<std::string> seal(std::string_view plain, std::string_view context) const;
  // Fails with Code::not_found when the key file lacks the key, Code::denied when the bytes were altered or
  // the context differs.
  Result<std::string> unseal(std::string_view sealed, std::string_view context) const;
  // False when an older key sealed it, so that the caller can seal it again.
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
