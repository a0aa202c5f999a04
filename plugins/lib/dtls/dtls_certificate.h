// Our self-signed certificate for DTLS (ECDSA on P-256), known to peers by its fingerprint in SDP.
#pragma once

#include <patchbay/result.h>

#include <cstdint>
#include <memory>
#include <mutex>

#include "dtls/fingerprint.h"

using SSL_CTX = struct ssl_ctx_st;

namespace patchbay::lib {

// Any thread.
class DtlsCertificate {
 public:
  // Makes a new key and certificate, in about 0.1 ms. Code::unavailable: the cryptographic library failed.
  static Result<std::shared_ptr<const DtlsCertificate>> create();

  const Fingerprint& fingerprint() const noexcept { return fingerprint_; }
  // For DtlsTransport: DTLS 1.2 with this certificate, in both roles.
  SSL_CTX& context() const noexcept { return *context_; }

 private:
  struct Free {
    void operator()(SSL_CTX* context) const noexcept;
  };
  using Context = std::unique_ptr<SSL_CTX, Free>;

  DtlsCertificate(Context context, Fingerprint fingerprint) noexcept
      : context_(std::move(context)), fingerprint_(std::move(fingerprint)) {}

  const Context context_;
  const Fingerprint fingerprint_;
};

// The certificate that new sessions use. It is replaced once a day; sessions keep theirs. Any thread.
class DtlsCertificates {
 public:
  // `now_ns`: monotonic.
  Result<std::shared_ptr<const DtlsCertificate>> current(int64_t now_ns);

 private:
  std::mutex mutex_;  // guards the next two
  std::shared_ptr<const DtlsCertificate> certificate_;
  int64_t made_ns_ = 0;
};

}  // namespace patchbay::lib
