#include "dtls/dtls_certificate.h"

#include <openssl/bn.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include "dtls/dtls_transport.h"

namespace patchbay::lib {
namespace {

constexpr int64_t kRotationNs = 24LL * 3600 * 1'000'000'000;
constexpr long kValidBeforeS = 24 * 3600;  // clocks of peers may be behind
constexpr long kValidAfterS = 30 * 24 * 3600;
constexpr long kMaxPeerChainBytes = 16'384;  // also bounds what a peer's unfinished handshake messages occupy
constexpr char kCiphers[] =
    "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-GCM-SHA384:"
    "ECDHE-RSA-AES256-GCM-SHA384:ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305";

using Key = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;
using Certificate = std::unique_ptr<X509, decltype(&X509_free)>;

bool set_random_serial(X509& certificate) {
  const std::unique_ptr<BIGNUM, decltype(&BN_free)> serial(BN_new(), &BN_free);
  return serial && BN_rand(serial.get(), 63, BN_RAND_TOP_ONE, BN_RAND_BOTTOM_ANY) == 1 &&
         BN_to_ASN1_INTEGER(serial.get(), X509_get_serialNumber(&certificate)) != nullptr;
}

// Its name must not identify the host.
Certificate make_certificate(EVP_PKEY& key) {
  Certificate certificate(X509_new(), &X509_free);
  if (!certificate) return certificate;
  X509& x509 = *certificate;
  X509_NAME* const name = X509_get_subject_name(&x509);
  const bool is_made =
      X509_set_version(&x509, X509_VERSION_3) == 1 && set_random_serial(x509) &&
      X509_gmtime_adj(X509_getm_notBefore(&x509), -kValidBeforeS) != nullptr &&
      X509_gmtime_adj(X509_getm_notAfter(&x509), kValidAfterS) != nullptr &&
      X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, reinterpret_cast<const unsigned char*>("patchbay"),
                                 -1, -1, 0) == 1 &&
      X509_set_issuer_name(&x509, name) == 1 && X509_set_pubkey(&x509, &key) == 1 &&
      X509_sign(&x509, &key, EVP_sha256()) > 0;
  if (!is_made) certificate.reset();
  return certificate;
}

bool configure(SSL_CTX& context, EVP_PKEY& key, X509& certificate) {
  SSL_CTX_set_options(&context, SSL_OP_NO_TICKET | SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_QUERY_MTU |
                                    SSL_OP_CIPHER_SERVER_PREFERENCE | SSL_OP_NO_COMPRESSION);
  SSL_CTX_set_session_cache_mode(&context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_max_cert_list(&context, kMaxPeerChainBytes);
  SSL_CTX_set_read_ahead(&context, 1);
  return SSL_CTX_set_min_proto_version(&context, DTLS1_2_VERSION) == 1 &&
         SSL_CTX_set_cipher_list(&context, kCiphers) == 1 &&
         SSL_CTX_set1_groups_list(&context, "X25519:P-256:P-384") == 1 &&
         SSL_CTX_use_certificate(&context, &certificate) == 1 && SSL_CTX_use_PrivateKey(&context, &key) == 1;
}

}  // namespace

void DtlsCertificate::Free::operator()(SSL_CTX* context) const noexcept { SSL_CTX_free(context); }

Result<std::shared_ptr<const DtlsCertificate>> DtlsCertificate::create() {
  const Error failed{Code::unavailable, "no certificate for DTLS can be made"};
  const Key key(EVP_EC_gen("P-256"), &EVP_PKEY_free);
  if (!key) return failed;
  const Certificate certificate = make_certificate(*key);
  Context context(SSL_CTX_new(DTLS_method()));
  if (!certificate || !context || !configure(*context, *key, *certificate)) return failed;
  DtlsTransport::set_callbacks(*context);
  PB_TRY_VALUE(Fingerprint fingerprint, fingerprint_of(*certificate, Fingerprint::Hash::sha256));
  return std::shared_ptr<const DtlsCertificate>(
      new DtlsCertificate(std::move(context), std::move(fingerprint)));
}

Result<std::shared_ptr<const DtlsCertificate>> DtlsCertificates::current(int64_t now_ns) {
  const std::lock_guard lock(mutex_);
  if (!certificate_ || now_ns - made_ns_ > kRotationNs) {
    PB_TRY_VALUE(certificate_, DtlsCertificate::create());
    made_ns_ = now_ns;
  }
  return certificate_;
}

}  // namespace patchbay::lib
