// Server certificates: TLS 1.2 and later, loaded whole or not at all.
#pragma once

#include <patchbay/result.h>

#include <memory>
#include <string>

namespace patchbay::rest_api {

struct TlsFiles {
  std::string certificate;  // PEM, the chain behind the leaf
  std::string key;          // PEM, without a password
};

// Opaque: an Asio SSL context.
struct TlsContext;

// Shared by the listener and the connections that were made with it, so that a reload disturbs none of them.
Result<std::shared_ptr<TlsContext>> load_tls(const TlsFiles& files);

}  // namespace patchbay::rest_api
