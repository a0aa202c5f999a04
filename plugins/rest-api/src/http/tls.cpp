#include "tls.h"

#include "asio_transport.h"

namespace patchbay::rest_api {
namespace {

// For TLS 1.2: forward secrecy and authenticated encryption only, which TLS 1.3 always has.
constexpr char kCiphers[] = "ECDHE+AESGCM:ECDHE+CHACHA20";

// Sends an alert (RFC 7301 3.2) to a client that offers protocols but not HTTP/1.1, so that its octets are
// not read as HTTP.
int select_http_1_1(SSL*, const unsigned char** out, unsigned char* out_length, const unsigned char* in,
                    unsigned in_length, void*) {
  static constexpr unsigned char kOurs[] = "\x08http/1.1";
  unsigned char* chosen = nullptr;
  const int result = SSL_select_next_proto(&chosen, out_length, kOurs, sizeof kOurs - 1, in, in_length);
  *out = chosen;
  return result == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
}

}  // namespace

Result<std::shared_ptr<TlsContext>> load_tls(const TlsFiles& files) {
  using ssl = boost::asio::ssl::context;
  auto context = std::make_shared<TlsContext>();
  auto* native = context->ssl.native_handle();
  boost::system::error_code error;
  SSL_CTX_set_min_proto_version(native, TLS1_2_VERSION);
  SSL_CTX_set_options(native,
                      SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_CIPHER_SERVER_PREFERENCE);
  SSL_CTX_set_cipher_list(native, kCiphers);
  SSL_CTX_set_mode(native, SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_alpn_select_cb(native, select_http_1_1, nullptr);
  context->ssl.use_certificate_chain_file(files.certificate, error);
  if (error) return {Code::invalid, "certificate " + files.certificate + ": " + error.message()};
  context->ssl.use_private_key_file(files.key, ssl::pem, error);
  if (error) return {Code::invalid, "key " + files.key + ": " + error.message()};
  if (SSL_CTX_check_private_key(native) != 1)
    return {Code::invalid, "key " + files.key + " does not belong to " + files.certificate};
  return context;
}

}  // namespace patchbay::rest_api
