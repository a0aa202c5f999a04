// The certificates of SIP over TLS: ours, and those of the authorities that we trust. Immutable once loaded;
// any thread.
#pragma once

#include <patchbay/result.h>

#include <map>
#include <memory>
#include <string>

#include "tls/tls_files.h"

// OpenSSL's X509, EVP_PKEY, STACK_OF(X509) and X509_STORE: its headers clash with those of libipsec-mb.
struct x509_st;
struct evp_pkey_st;
struct stack_st_X509;
struct x509_store_st;

namespace patchbay::sip_trunk {

struct TlsCertificates {
  // null: a peer that asks for a certificate gets none, and calls to us over TLS fail.
  std::shared_ptr<x509_st> leaf;
  std::shared_ptr<evp_pkey_st> key;
  std::shared_ptr<stack_st_X509> chain;
  std::shared_ptr<x509_store_st> trusted;
  // The files of a trunk that these were read from.
  TrunkTlsFiles trunk_files{};
  // Of the trunks at these hosts, in lower case; other hosts have the above.
  std::map<std::string, std::shared_ptr<const TlsCertificates>> of_hosts{};

  // May block. The error names the setting and the file.
  static Result<std::shared_ptr<const TlsCertificates>> load(const TlsFiles& files);
};

// Returns whether the certificate is for this host: a name or a numeric address, also as the SIP domain of
// RFC 5922 section 7.
bool is_for_host(x509_st* certificate, const std::string& host);

// Returns the names of a certificate for a message: "sip.carrier.example, 192.0.2.1".
std::string names_of(x509_st* certificate);

}  // namespace patchbay::sip_trunk
