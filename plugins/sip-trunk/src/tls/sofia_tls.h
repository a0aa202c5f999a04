// SofiaTls: decides about the TLS connections of sofia-sip, which knows neither a name to verify for a
// numeric target, nor SNI, nor new certificates. Takes over the OpenSSL context that sofia-sip makes, by
// OpenSSL's own callbacks. sip thread only.
#pragma once

#include <openssl/ssl.h>
#include <patchbay/result.h>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "rtp/address.h"
#include "tls/certificates.h"

namespace patchbay::sip_trunk {

class SofiaTls {
 public:
  // Calls failed(peer) when a connection that we begin is not made, because sofia-sip leaves the requests
  // that wait for it without an answer. From within OpenSSL: call nothing of sofia-sip there.
  explicit SofiaTls(std::function<void(const lib::SocketAddress& peer)> failed)
      : failed_(std::move(failed)) {}
  SofiaTls(const SofiaTls&) = delete;
  SofiaTls& operator=(const SofiaTls&) = delete;

  // While one exists, takes over the contexts that its thread makes.
  class Capture {
   public:
    explicit Capture(SofiaTls& owner);
    ~Capture();
    Capture(const Capture&) = delete;
    Capture& operator=(const Capture&) = delete;
  };

  // Replaces the certificates, for the connections from now on.
  void use(std::shared_ptr<const TlsCertificates> certificates);

  // Call it before a request to `peer`, whose certificate must be for `host`. A connection that is made for
  // several hosts at once must be for all of them. Code::denied: a connection to `peer` is open, and its
  // certificate is not for `host`, or it was made with the files of another trunk than the one at `host`.
  Status expect(const lib::SocketAddress& peer, const std::string& host);

  // Why the latest connection to `peer` was not made, for an operator; empty: it was, or was never tried.
  std::string failure(const lib::SocketAddress& peer) const;

 private:
  struct Peer {
    std::set<std::string> hosts;
    std::optional<TrunkTlsFiles> trunk_files;  // of the trunks at those hosts
    std::shared_ptr<X509> certificate;         // of the latest connection
    std::string failure;
  };

  static void on_new_context(void* context, void*, CRYPTO_EX_DATA*, int, long, void*);
  static void on_info(const SSL* ssl, int where, int value);
  static int on_verify(X509_STORE_CTX* store, void* self);
  static int on_certificate_wanted(SSL* ssl, void* self);
  void adopt(SSL_CTX& context);
  // Those of the trunk at `host`; null: it is the host of no trunk, or no trunk has files.
  const TlsCertificates* of_host(const std::string& host) const;
  const TlsCertificates* of_connection(const SSL& ssl) const;
  void begin(SSL& ssl);
  bool verify(X509_STORE_CTX& store, const SSL& ssl);

  void fail(const SSL& ssl, std::string why);

  const std::function<void(const lib::SocketAddress&)> failed_;
  SSL_CTX* context_ = nullptr;  // of sofia-sip, which frees it
  std::shared_ptr<const TlsCertificates> certificates_;
  std::map<std::string, Peer> peers_;  // by SocketAddress::text()
};

}  // namespace patchbay::sip_trunk
