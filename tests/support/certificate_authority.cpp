#include "support/certificate_authority.h"

#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <openssl/x509v3.h>

namespace patchbay::support {
namespace {

template <class Write>
std::string pem_text(Write write) {
  std::unique_ptr<BIO, decltype(&BIO_free_all)> bio(BIO_new(BIO_s_mem()), BIO_free_all);
  write(bio.get());
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &data);
  return {data, static_cast<size_t>(size)};
}

// RSA, because Kamailio of Debian 12 cannot sign with other keys.
std::shared_ptr<EVP_PKEY> new_key() { return {EVP_RSA_gen(2048), EVP_PKEY_free}; }

std::shared_ptr<X509> new_certificate(EVP_PKEY* key, const std::string& name, int age_days) {
  static long serial = 0;
  std::shared_ptr<X509> made(X509_new(), X509_free);
  X509* x = made.get();
  X509_set_version(x, 2);
  ASN1_INTEGER_set(X509_get_serialNumber(x), ++serial);
  X509_gmtime_adj(X509_getm_notBefore(x), -86400L * age_days - 3600);
  X509_gmtime_adj(X509_getm_notAfter(x), 86400L * (1 - age_days));
  X509_set_pubkey(x, key);
  X509_NAME_add_entry_by_txt(X509_get_subject_name(x), "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1, 0);
  return made;
}

void extend(X509* certificate, X509* issuer, int nid, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, &context, nid, value.c_str());
  X509_add_ext(certificate, extension, -1);
  X509_EXTENSION_free(extension);
}

}  // namespace

CertificateAuthority::CertificateAuthority(const std::string& name)
    : key_(new_key()), certificate_(new_certificate(key_.get(), name, 0)) {
  X509* x = certificate_.get();
  X509_set_issuer_name(x, X509_get_subject_name(x));
  extend(x, x, NID_basic_constraints, "critical,CA:TRUE");
  X509_sign(x, key_.get(), EVP_sha256());
}

Certificate CertificateAuthority::issue(const std::string& names, int age_days) const {
  const auto key = new_key();
  const auto made = new_certificate(key.get(), "peer", age_days);
  X509_set_issuer_name(made.get(), X509_get_subject_name(certificate_.get()));
  extend(made.get(), certificate_.get(), NID_subject_alt_name, names);
  X509_sign(made.get(), key_.get(), EVP_sha256());
  return {pem_text([&](BIO* bio) { PEM_write_bio_X509(bio, made.get()); }), pem_text([&](BIO* bio) {
            PEM_write_bio_PrivateKey(bio, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
          })};
}

std::string CertificateAuthority::certificate_pem() const {
  return pem_text([&](BIO* bio) { PEM_write_bio_X509(bio, certificate_.get()); });
}

}  // namespace patchbay::support
