// A key pair for ES256 (ECDSA on P-256 with SHA-256, RFC 7518 3.4). Immutable; any thread.
#pragma once

#include <openssl/types.h>
#include <patchbay/result.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace patchbay::identity {

class SigningKey {
 public:
  static Result<SigningKey> generate();
  // Reads an unencrypted private key on P-256.
  static Result<SigningKey> from_pem(std::string_view pem);
  static Result<SigningKey> from_der(std::string_view pkcs8);
  // Returns unencrypted PKCS#8; callers must encrypt it before they store it.
  Result<std::string> to_der() const;

  // The key id: the RFC 7638 thumbprint.
  const std::string& kid() const noexcept { return kid_; }
  // The public half as a JWK, as JSON.
  std::string jwk() const;

  // Returns 64 bytes: r and s.
  Result<std::string> sign(std::string_view text) const;
  bool verify(std::string_view text, std::string_view signature) const;

 private:
  struct Free {
    void operator()(EVP_PKEY* key) const noexcept;
  };
  using Pkey = std::unique_ptr<EVP_PKEY, Free>;
  explicit SigningKey(Pkey key) : key_(std::move(key)) {}
  static Result<SigningKey> take(EVP_PKEY* raw);

  Pkey key_;
  std::string x_, y_;  // base64url
  std::string kid_;
};

// The keys that verify tokens; the first one also signs. Keyed hashes have a key of their own, so that they
// outlive a rotation.
class KeyRing {
 public:
  KeyRing() = default;
  explicit KeyRing(std::vector<SigningKey> keys, std::string mac_key = {})
      : keys_(std::move(keys)), mac_key_(std::move(mac_key)) {}
  bool empty() const noexcept { return keys_.empty(); }
  const SigningKey& current() const noexcept { return keys_.front(); }
  const SigningKey* find(std::string_view kid) const noexcept;
  // RFC 7517 section 5.
  std::string jwks() const;
  // Returns a raw HMAC-SHA256 that only this server can compute.
  std::string mac(std::string_view text) const;

 private:
  std::vector<SigningKey> keys_;
  std::string mac_key_;
};

}  // namespace patchbay::identity
