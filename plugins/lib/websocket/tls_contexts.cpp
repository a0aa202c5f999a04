#include "websocket/tls_contexts.h"

#include <openssl/err.h>
#include <openssl/ssl.h>

#include <utility>

namespace patchbay::lib {
namespace {

Result<TlsContext> make_context(const std::string& ca_file) {
  const std::shared_ptr<SSL_CTX> context(::SSL_CTX_new(::TLS_client_method()), &::SSL_CTX_free);
  if (!context) return {Code::failed, "TLS: " + take_tls_error()};
  ::SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  ::SSL_CTX_set_options(context.get(), SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION);
  ::SSL_CTX_set_mode(context.get(), SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  // One recv() for all that has arrived, instead of two for each record.
  ::SSL_CTX_set_read_ahead(context.get(), 1);
  ::SSL_CTX_set_default_verify_paths(context.get());
  if (!ca_file.empty() && ::SSL_CTX_load_verify_file(context.get(), ca_file.c_str()) != 1)
    return {Code::invalid, "CA file " + ca_file + ": " + take_tls_error()};
  TlsSessions::prepare(*context);
  ::ERR_clear_error();
  return TlsContext{context, std::make_shared<TlsSessions>()};
}

}  // namespace

Result<TlsContext> TlsContexts::get(const std::string& ca_file) {
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = by_ca_file_.find(ca_file); found != by_ca_file_.end()) return found->second;
  }
  PB_TRY_VALUE(auto made, make_context(ca_file));
  const std::lock_guard lock(mutex_);
  return by_ca_file_.emplace(ca_file, std::move(made)).first->second;
}

std::string take_tls_error() {
  const unsigned long error = ::ERR_peek_error();
  const char* const reason = error == 0 ? nullptr : ::ERR_reason_error_string(error);
  std::string text = reason != nullptr ? reason
                     : error == 0      ? "unknown error"
                                       : "error " + std::to_string(error);
  ::ERR_clear_error();
  return text;
}

}  // namespace patchbay::lib
