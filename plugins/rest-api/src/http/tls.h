// Loads server certificates for TLS 1.2 and later.
#pragma once

#include <patchbay/result.h>

#include <memory>
#include <string>

namespace patchbay::rest_api {

struct TlsFiles {
  std::string certificate;  // PEM: the leaf, then its chain
  std::string key;          // PEM, without a password
};

// Opaque: an Asio SSL context.
struct TlsContext;

// Shared by the listener and its connections, so that a reload does not affect open connections.
Result<std::shared_ptr<TlsContext>> load_tls(const TlsFiles& files);

}  // namespace patchbay::rest_api
