// Wire: a connection to a SIP port over TCP or TLS, for arbitrary text.
#pragma once

#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <patchbay/descriptor.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

namespace patchbay::test {

// A connection of a client to the stack, over TLS or in the clear.
class Wire {
 public:
  Wire(uint16_t port, SSL_CTX* tls)
      : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)), ssl_(nullptr, SSL_free) {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(port);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    REQUIRE(::connect(fd_.get(), reinterpret_cast<sockaddr*>(&to), sizeof(to)) == 0);
    const timeval limit{30, 0};
    REQUIRE(::setsockopt(fd_.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)) == 0);
    const int at_once = 1;
    (void)::setsockopt(fd_.get(), IPPROTO_TCP, TCP_NODELAY, &at_once, sizeof(at_once));
    if (tls == nullptr) return;
    ssl_.reset(SSL_new(tls));
    SSL_set_fd(ssl_.get(), fd_.get());
    REQUIRE(SSL_connect(ssl_.get()) == 1);
  }
  void send(const std::string& text) {
    if (ssl_)
      (void)SSL_write(ssl_.get(), text.data(), static_cast<int>(text.size()));
    else
      (void)::send(fd_.get(), text.data(), text.size(), MSG_NOSIGNAL);
  }
  // Closes the connection by RST.
  void reset() {
    const linger at_once{1, 0};
    (void)::setsockopt(fd_.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
    fd_ = Descriptor();
  }
  // The next bytes; empty when the peer has closed, or after half a minute.
  std::string receive() {
    char buffer[65536];
    const auto size = ssl_ ? SSL_read(ssl_.get(), buffer, sizeof(buffer))
                           : static_cast<int>(::recv(fd_.get(), buffer, sizeof(buffer), 0));
    return size > 0 ? std::string(buffer, static_cast<size_t>(size)) : std::string();
  }

 private:
  Descriptor fd_;
  std::unique_ptr<SSL, decltype(&SSL_free)> ssl_;
};

}  // namespace patchbay::test
