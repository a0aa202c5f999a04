// A TLS server on one connected socket, whose records are written in memory and sent when the test says so.
#pragma once

#include <doctest/doctest.h>
#include <openssl/bio.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "support/self_signed_certificate.h"

namespace patchbay::lib::test {

using TlsServerContext = std::shared_ptr<SSL_CTX>;

// With a new self-signed certificate of localhost. `pem`: receives the certificate, which is also the
// authority.
inline TlsServerContext make_server_context(std::string* pem = nullptr) {
  TlsServerContext context(::SSL_CTX_new(::TLS_server_method()), &::SSL_CTX_free);
  const support::Certificate made = support::make_certificate();
  const auto text = [](const std::string& from) {
    return std::unique_ptr<BIO, decltype(&::BIO_free)>(
        ::BIO_new_mem_buf(from.data(), static_cast<int>(from.size())), &::BIO_free);
  };
  const std::unique_ptr<X509, decltype(&::X509_free)> certificate(
      ::PEM_read_bio_X509(text(made.certificate_pem).get(), nullptr, nullptr, nullptr), &::X509_free);
  const std::unique_ptr<EVP_PKEY, decltype(&::EVP_PKEY_free)> key(
      ::PEM_read_bio_PrivateKey(text(made.key_pem).get(), nullptr, nullptr, nullptr), &::EVP_PKEY_free);
  REQUIRE(::SSL_CTX_use_certificate(context.get(), certificate.get()) == 1);
  REQUIRE(::SSL_CTX_use_PrivateKey(context.get(), key.get()) == 1);
  if (pem != nullptr) *pem = made.certificate_pem;
  return context;
}

class TlsServer {
 public:
  // Owns the socket.
  TlsServer(int fd, TlsServerContext context) : fd_(fd), context_(std::move(context)) {
    tls_.reset(::SSL_new(context_.get()));
    ::SSL_set_bio(tls_.get(), in_, out_);
    ::SSL_set_accept_state(tls_.get());
  }
  ~TlsServer() { ::close(fd_); }
  TlsServer(const TlsServer&) = delete;
  TlsServer& operator=(const TlsServer&) = delete;

  SSL* tls() { return tls_.get(); }
  // Takes what has arrived from the socket.
  void receive() {
    std::array<char, 16384> bytes;
    ssize_t got = 0;
    while ((got = ::recv(fd_, bytes.data(), bytes.size(), MSG_DONTWAIT)) > 0)
      ::BIO_write(in_, bytes.data(), static_cast<int>(got));
  }
  // Returns the data of what receive() took.
  std::string read() {
    std::string out;
    std::array<char, 16384> bytes;
    for (int got = 0; (got = ::SSL_read(tls_.get(), bytes.data(), static_cast<int>(bytes.size()))) > 0;)
      out.append(bytes.data(), static_cast<size_t>(got));
    return out;
  }
  // Goes on with the handshake. Returns whether it is complete.
  bool handshake() {
    receive();
    ::SSL_do_handshake(tls_.get());
    flush();
    return ::SSL_is_init_finished(tls_.get()) == 1;
  }
  void write(std::string_view data) {
    REQUIRE(::SSL_write(tls_.get(), data.data(), static_cast<int>(data.size())) ==
            static_cast<int>(data.size()));
  }
  // `type`: SSL_KEY_UPDATE_REQUESTED or SSL_KEY_UPDATE_NOT_REQUESTED.
  void update_key(int type) {
    REQUIRE(::SSL_key_update(tls_.get(), type) == 1);
    REQUIRE(::SSL_do_handshake(tls_.get()) == 1);
  }
  // Sends the records written until now together. Returns their size. `wait`: for a client that reads slowly.
  size_t flush(bool wait = false) {
    char* bytes = nullptr;
    const long size = BIO_get_mem_data(out_, &bytes);
    const int flags = MSG_NOSIGNAL | (wait ? 0 : MSG_DONTWAIT);
    if (size > 0) REQUIRE(::send(fd_, bytes, static_cast<size_t>(size), flags) == size);
    (void)BIO_reset(out_);
    return static_cast<size_t>(size);
  }

 private:
  const int fd_;
  const TlsServerContext context_;
  std::unique_ptr<SSL, decltype(&::SSL_free)> tls_{nullptr, &::SSL_free};
  BIO* const in_ = ::BIO_new(::BIO_s_mem());   // owned by tls_
  BIO* const out_ = ::BIO_new(::BIO_s_mem());  // owned by tls_
};

}  // namespace patchbay::lib::test
