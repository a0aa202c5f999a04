// A connection of WebhookReceiver, plain or TLS. Blocking; one thread.
#pragma once

#include <openssl/ssl.h>

#include <atomic>
#include <memory>
#include <string>
#include <string_view>

namespace patchbay::test {

class WebhookStream {
 public:
  // Takes over the descriptor. Without TLS if `context` is null.
  WebhookStream(int fd, SSL_CTX* context);
  ~WebhookStream();

  // The next bytes; "" at the end, on an error, and when the TLS handshake failed.
  std::string read();
  // False when the peer is gone.
  bool write(std::string_view text);
  void reset();  // RST
  int fd() const noexcept { return fd_; }

 private:
  struct FreeSsl {
    void operator()(SSL* ssl) const noexcept { SSL_free(ssl); }
  };
  const int fd_;
  std::unique_ptr<SSL, FreeSsl> ssl_;
  bool ready_ = true;
};

}  // namespace patchbay::test
