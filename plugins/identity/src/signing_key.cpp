#include "signing_key.h"

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <patchbay/base64.h>

#include "crypto/digest.h"

namespace patchbay::identity {
namespace {

constexpr size_t kHalf = 32;  // bytes of r, s, x and y

template <auto Function>
struct Call {
  template <class T>
  void operator()(T* object) const noexcept {
    Function(object);
  }
};
using Bn = std::unique_ptr<BIGNUM, Call<&BN_clear_free>>;
using Sig = std::unique_ptr<ECDSA_SIG, Call<&ECDSA_SIG_free>>;
using Ctx = std::unique_ptr<EVP_MD_CTX, Call<&EVP_MD_CTX_free>>;
using Bio = std::unique_ptr<BIO, Call<&BIO_free_all>>;

const unsigned char* bytes(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}
unsigned char* bytes(std::string& text) { return reinterpret_cast<unsigned char*>(text.data()); }

std::string coordinate(const EVP_PKEY* key, const char* name) {
  BIGNUM* raw = nullptr;
  EVP_PKEY_get_bn_param(key, name, &raw);
  const Bn number(raw);
  std::string out(kHalf, '\0');
  if (number == nullptr || BN_bn2binpad(number.get(), bytes(out), static_cast<int>(kHalf)) < 0) return {};
  return to_base64url(out);
}

Result<std::string> der_to_raw(std::string_view der) {
  const unsigned char* at = bytes(der);
  const Sig sig(d2i_ECDSA_SIG(nullptr, &at, static_cast<long>(der.size())));
  std::string out(2 * kHalf, '\0');
  if (sig == nullptr || BN_bn2binpad(ECDSA_SIG_get0_r(sig.get()), bytes(out), kHalf) < 0 ||
      BN_bn2binpad(ECDSA_SIG_get0_s(sig.get()), bytes(out) + kHalf, kHalf) < 0)
    return {Code::failed, "OpenSSL returned an invalid signature"};
  return out;
}

// Returns "" on failure. OpenSSL refuses r and s outside 1..n-1.
std::string raw_to_der(std::string_view raw) {
  const Sig sig(ECDSA_SIG_new());
  Bn r(BN_bin2bn(bytes(raw), kHalf, nullptr)), s(BN_bin2bn(bytes(raw) + kHalf, kHalf, nullptr));
  if (sig == nullptr || r == nullptr || s == nullptr) return {};
  ECDSA_SIG_set0(sig.get(), r.release(), s.release());
  unsigned char* der = nullptr;
  const int size = i2d_ECDSA_SIG(sig.get(), &der);
  if (size <= 0) return {};
  std::string out(reinterpret_cast<char*>(der), static_cast<size_t>(size));
  OPENSSL_free(der);
  return out;
}

}  // namespace

void SigningKey::Free::operator()(EVP_PKEY* key) const noexcept { EVP_PKEY_free(key); }

Result<SigningKey> SigningKey::take(EVP_PKEY* raw) {
  SigningKey key{Pkey(raw)};
  char group[32] = {};
  size_t length = 0;
  if (raw == nullptr || EVP_PKEY_get_base_id(raw) != EVP_PKEY_EC ||
      EVP_PKEY_get_group_name(raw, group, sizeof group, &length) != 1 ||
      std::string_view(group, length) != SN_X9_62_prime256v1)
    return {Code::invalid, "not an unencrypted private key on the curve P-256"};
  key.x_ = coordinate(raw, OSSL_PKEY_PARAM_EC_PUB_X);
  key.y_ = coordinate(raw, OSSL_PKEY_PARAM_EC_PUB_Y);
  if (key.x_.empty() || key.y_.empty() || !key.sign("test"))
    return {Code::invalid, "the key lacks its private or its public half"};
  const std::string canonical =
      R"({"crv":"P-256","kty":"EC","x":")" + key.x_ + R"(","y":")" + key.y_ + R"("})";
  key.kid_ = to_base64url(lib::sha256(canonical));
  return key;
}

Result<SigningKey> SigningKey::generate() { return take(EVP_EC_gen("P-256")); }

Result<SigningKey> SigningKey::from_pem(std::string_view pem) {
  const Bio bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  const auto no_password = [](char*, int, int, void*) { return -1; };
  return take(PEM_read_bio_PrivateKey(bio.get(), nullptr, no_password, nullptr));
}

Result<SigningKey> SigningKey::from_der(std::string_view pkcs8) {
  const unsigned char* at = bytes(pkcs8);
  return take(d2i_AutoPrivateKey(nullptr, &at, static_cast<long>(pkcs8.size())));
}

Result<std::string> SigningKey::to_der() const {
  const std::unique_ptr<PKCS8_PRIV_KEY_INFO, Call<&PKCS8_PRIV_KEY_INFO_free>> info(
      EVP_PKEY2PKCS8(key_.get()));
  unsigned char* der = nullptr;
  const int size = info ? i2d_PKCS8_PRIV_KEY_INFO(info.get(), &der) : 0;
  if (size <= 0) return {Code::failed, "OpenSSL cannot write the key"};
  std::string out(reinterpret_cast<char*>(der), static_cast<size_t>(size));
  OPENSSL_clear_free(der, static_cast<size_t>(size));
  return out;
}

std::string SigningKey::jwk() const {
  return R"({"kty":"EC","crv":"P-256","x":")" + x_ + R"(","y":")" + y_ +
         R"(","use":"sig","alg":"ES256","kid":")" + kid_ + R"("})";
}

Result<std::string> SigningKey::sign(std::string_view text) const {
  const Ctx ctx(EVP_MD_CTX_new());
  std::string der(128, '\0');
  size_t size = der.size();
  if (EVP_DigestSignInit(ctx.get(), nullptr, EVP_sha256(), nullptr, key_.get()) != 1 ||
      EVP_DigestSign(ctx.get(), bytes(der), &size, bytes(text), text.size()) != 1)
    return {Code::failed, "OpenSSL cannot sign"};
  return der_to_raw(std::string_view(der).substr(0, size));
}

bool SigningKey::verify(std::string_view text, std::string_view signature) const {
  if (signature.size() != 2 * kHalf) return false;
  const std::string der = raw_to_der(signature);
  const Ctx ctx(EVP_MD_CTX_new());
  return !der.empty() && EVP_DigestVerifyInit(ctx.get(), nullptr, EVP_sha256(), nullptr, key_.get()) == 1 &&
         EVP_DigestVerify(ctx.get(), bytes(der), der.size(), bytes(text), text.size()) == 1;
}

const SigningKey* KeyRing::find(std::string_view kid) const noexcept {
  for (const SigningKey& key : keys_)
    if (key.kid() == kid) return &key;
  return nullptr;
}

std::string KeyRing::mac(std::string_view text) const { return lib::hmac_sha256(mac_key_, text); }

std::string KeyRing::jwks() const {
  std::string out = R"({"keys":[)";
  for (const SigningKey& key : keys_) out += (&key == &keys_.front() ? "" : ",") + key.jwk();
  return out + "]}";
}

}  // namespace patchbay::identity
