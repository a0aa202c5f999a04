#include "tls/certificates.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <patchbay/text.h>
#include <strings.h>

#include <utility>

#include "rtp/address.h"
#include "stack/sip_limits.h"

namespace patchbay::sip_trunk {
namespace {

using Bio = std::unique_ptr<BIO, decltype(&BIO_free)>;
using GeneralNames = std::unique_ptr<GENERAL_NAMES, decltype(&GENERAL_NAMES_free)>;

Error file_error(const char* setting, const std::string& file, const char* why) {
  ERR_clear_error();
  return {Code::invalid, std::string(setting) + ": " + file + ": " + why};
}

void free_chain(STACK_OF(X509) * chain) { sk_X509_pop_free(chain, X509_free); }

int no_password(char*, int, int, void*) { return 0; }

template <class Files>
Status load_own(const Files& files, TlsCertificates& out) {
  const Bio pem(BIO_new_file(files.certificate.c_str(), "r"), BIO_free);
  if (!pem) return file_error("tlsCert", files.certificate, "cannot be read");
  out.leaf.reset(PEM_read_bio_X509(pem.get(), nullptr, nullptr, nullptr), X509_free);
  if (!out.leaf) return file_error("tlsCert", files.certificate, "has no certificate in PEM form");
  out.chain.reset(sk_X509_new_null(), free_chain);
  while (X509* next = PEM_read_bio_X509(pem.get(), nullptr, nullptr, nullptr))
    sk_X509_push(out.chain.get(), next);
  const Bio key(BIO_new_file(files.key.c_str(), "r"), BIO_free);
  if (!key) return file_error("tlsKey", files.key, "cannot be read");
  out.key.reset(PEM_read_bio_PrivateKey(key.get(), nullptr, no_password, nullptr), EVP_PKEY_free);
  if (!out.key) return file_error("tlsKey", files.key, "has no key in PEM form without a password");
  if (X509_check_private_key(out.leaf.get(), out.key.get()) != 1)
    return file_error("tlsKey", files.key, "does not belong to the certificate of tlsCert");
  ERR_clear_error();
  return {};
}

Status load_authorities(const std::string& file, TlsCertificates& out) {
  if (X509_STORE_load_file(out.trusted.get(), file.c_str()) == 1) return {};
  return file_error("tlsCaFile", file, "has no certificates in PEM form, or cannot be read");
}

// Those of a trunk: what it has no file for is the server's.
Result<std::shared_ptr<const TlsCertificates>> load_trunk(const TrunkTlsFiles& files,
                                                          const TlsCertificates& server) {
  auto loaded = std::make_shared<TlsCertificates>(server);
  loaded->of_hosts.clear();
  loaded->trunk_files = files;
  if (!files.certificate.empty()) PB_TRY(load_own(files, *loaded));
  if (!files.authorities.empty()) {
    loaded->trusted.reset(X509_STORE_new(), X509_STORE_free);
    if (!loaded->trusted) return {Code::exhausted, "no memory for certificates"};
    PB_TRY(load_authorities(files.authorities, *loaded));
  }
  return std::shared_ptr<const TlsCertificates>(std::move(loaded));
}

std::string text_of(const ASN1_STRING* string) {
  return {reinterpret_cast<const char*>(ASN1_STRING_get0_data(string)),
          static_cast<size_t>(ASN1_STRING_length(string))};
}

GeneralNames alternative_names(X509* certificate) {
  return {static_cast<GENERAL_NAMES*>(X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr)),
          GENERAL_NAMES_free};
}

// Calls f(type, text) for each alternative name that is a text.
template <class F>
void for_each_name(X509* certificate, F f) {
  const GeneralNames names = alternative_names(certificate);
  for (int i = 0; names && i < sk_GENERAL_NAME_num(names.get()); ++i) {
    const GENERAL_NAME* name = sk_GENERAL_NAME_value(names.get(), i);
    if (name->type == GEN_DNS) f(GEN_DNS, text_of(name->d.dNSName));
    if (name->type == GEN_URI) f(GEN_URI, text_of(name->d.uniformResourceIdentifier));
  }
}

}  // namespace

Result<std::shared_ptr<const TlsCertificates>> TlsCertificates::load(const TlsFiles& files) {
  auto loaded = std::make_shared<TlsCertificates>();
  if (!files.certificate.empty()) PB_TRY(load_own(files, *loaded));
  loaded->trusted.reset(X509_STORE_new(), X509_STORE_free);
  if (!loaded->trusted) return {Code::exhausted, "no memory for certificates"};
  X509_STORE_set_default_paths(loaded->trusted.get());
  if (!files.authorities.empty()) PB_TRY(load_authorities(files.authorities, *loaded));
  ERR_clear_error();
  for (const auto& [host, of_trunk] : files.of_hosts) {
    auto trunk = load_trunk(of_trunk, *loaded);
    if (!trunk) return std::move(trunk).error().within("the trunk at " + host);
    loaded->of_hosts.emplace(host, *std::move(trunk));
  }
  return std::shared_ptr<const TlsCertificates>(std::move(loaded));
}

bool is_for_host(X509* certificate, const std::string& host) {
  if (lib::SocketAddress::parse(host, 0)) return X509_check_ip_asc(certificate, host.c_str(), 0) == 1;
  if (X509_check_host(certificate, host.data(), host.size(), X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS, nullptr) ==
      1)
    return true;
  bool is_named = false;
  for_each_name(certificate, [&](int type, const std::string& name) {
    is_named = is_named || (type == GEN_URI && equals_ignoring_case(name, "sip:" + host));
  });
  return is_named;
}

std::string names_of(X509* certificate) {
  std::string all;
  const auto add = [&all](const std::string& name) {
    if (all.size() < kMaxShownBytes) all += (all.empty() ? "" : ", ") + printable_ascii(name, kMaxShownBytes);
  };
  for_each_name(certificate, [&](int, const std::string& name) { add(name); });
  char common[256] = "";
  if (all.empty() && X509_NAME_get_text_by_NID(X509_get_subject_name(certificate), NID_commonName, common,
                                               sizeof(common)) > 0)
    add(common);
  return all.empty() ? "no name" : all;
}

}  // namespace patchbay::sip_trunk
