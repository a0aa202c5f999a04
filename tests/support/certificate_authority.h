// CertificateAuthority: issues certificates for tests.
#pragma once

#include <openssl/x509.h>

#include <memory>
#include <string>

#include "support/self_signed_certificate.h"

namespace patchbay::support {

class CertificateAuthority {
 public:
  explicit CertificateAuthority(const std::string& name);

  // Issues a certificate for subject alternative names such as "DNS:sip.example,IP:127.0.0.1", valid for a
  // day that began `age_days` ago.
  Certificate issue(const std::string& names, int age_days = 0) const;
  // Its own certificate, which peers trust.
  std::string certificate_pem() const;

 private:
  std::shared_ptr<EVP_PKEY> key_;
  std::shared_ptr<X509> certificate_;
};

}  // namespace patchbay::support
