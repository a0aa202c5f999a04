// A stream through TLS, with a peer whose records the test writes.
#include "websocket/byte_stream.h"

#include <doctest/doctest.h>
#include <openssl/bio.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <memory>
#include <string>

#include "support/self_signed_certificate.h"

using namespace patchbay;
using lib::ByteStream;

namespace {

// The server's end of a socket pair: its TLS reads and writes memory.
class TlsServer {
 public:
  explicit TlsServer(int fd) : fd_(fd) {
    const support::Certificate made = support::make_certificate();
    const auto text = [](const std::string& pem) {
      return std::unique_ptr<BIO, decltype(&::BIO_free)>(
          ::BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())), &::BIO_free);
    };
    const std::unique_ptr<X509, decltype(&::X509_free)> certificate(
        ::PEM_read_bio_X509(text(made.certificate_pem).get(), nullptr, nullptr, nullptr), &::X509_free);
    const std::unique_ptr<EVP_PKEY, decltype(&::EVP_PKEY_free)> key(
        ::PEM_read_bio_PrivateKey(text(made.key_pem).get(), nullptr, nullptr, nullptr), &::EVP_PKEY_free);
    REQUIRE(::SSL_CTX_use_certificate(context_.get(), certificate.get()) == 1);
    REQUIRE(::SSL_CTX_use_PrivateKey(context_.get(), key.get()) == 1);
    tls_.reset(::SSL_new(context_.get()));
    ::SSL_set_bio(tls_.get(), in_, out_);
    ::SSL_set_accept_state(tls_.get());
  }
  ~TlsServer() { ::close(fd_); }

  SSL* tls() { return tls_.get(); }
  void receive() {
    std::array<char, 16384> bytes;
    ssize_t got = 0;
    while ((got = ::recv(fd_, bytes.data(), bytes.size(), MSG_DONTWAIT)) > 0)
      ::BIO_write(in_, bytes.data(), static_cast<int>(got));
  }
  // Sends the records written until now together. Returns their size.
  size_t flush() {
    char* bytes = nullptr;
    const long size = BIO_get_mem_data(out_, &bytes);
    REQUIRE(::send(fd_, bytes, static_cast<size_t>(size), MSG_NOSIGNAL | MSG_DONTWAIT) == size);
    (void)BIO_reset(out_);
    return static_cast<size_t>(size);
  }

 private:
  const int fd_;
  const std::unique_ptr<SSL_CTX, decltype(&::SSL_CTX_free)> context_{::SSL_CTX_new(::TLS_server_method()),
                                                                     &::SSL_CTX_free};
  std::unique_ptr<SSL, decltype(&::SSL_free)> tls_{nullptr, &::SSL_free};
  BIO* const in_ = ::BIO_new(::BIO_s_mem());   // owned by tls_
  BIO* const out_ = ::BIO_new(::BIO_s_mem());  // owned by tls_
};

std::array<int, 2> socket_pair() {
  std::array<int, 2> fds;
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds.data()) == 0);
  const int buffer_bytes = 1 << 20;
  for (const int fd : fds) ::setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &buffer_bytes, sizeof buffer_bytes);
  return fds;
}

// Both after the handshake.
struct StreamFixture {
  StreamFixture() {
    lib::TlsContexts contexts;
    REQUIRE(stream.start_tls(*contexts.get(""), "localhost", false));
    bool done = false;
    for (int i = 0; i < 10 && !(done && ::SSL_is_init_finished(server.tls()) == 1); ++i) {
      stream.begin_turn();
      done = stream.handshake() == ByteStream::State::done;
      server.receive();
      ::SSL_do_handshake(server.tls());
      server.flush();
    }
    REQUIRE(done);
  }
  size_t unread_bytes() const {
    int size = 0;
    ::ioctl(stream.fd(), FIONREAD, &size);
    return static_cast<size_t>(size);
  }

  const std::array<int, 2> fds = socket_pair();
  ByteStream stream{fds[0]};
  TlsServer server{fds[1]};
};

}  // namespace

TEST_CASE_FIXTURE(StreamFixture, "records without data take no more than a turn of one read") {
  std::array<char, 100> bytes;
  stream.begin_turn();
  CHECK(stream.read(bytes.data(), bytes.size()).state == ByteStream::State::wants_read);
  for (int i = 0; i < 5000; ++i) {
    REQUIRE(::SSL_key_update(server.tls(), SSL_KEY_UPDATE_NOT_REQUESTED) == 1);
    REQUIRE(::SSL_do_handshake(server.tls()) == 1);
  }
  REQUIRE(::SSL_write(server.tls(), "data", 4) == 4);
  const size_t all = server.flush();
  REQUIRE(all > 100'000);
  int turns = 0;
  ByteStream::Moved moved{ByteStream::State::wants_read};
  while (moved.state == ByteStream::State::wants_read && unread_bytes() > 0) {
    const size_t before = unread_bytes();
    stream.begin_turn();
    moved = stream.read(bytes.data(), bytes.size());
    CHECK(before - unread_bytes() < 90'000);
    ++turns;
  }
  CHECK(turns > 1);
  CHECK(moved.state == ByteStream::State::done);
  CHECK(std::string(bytes.data(), moved.bytes) == "data");
}
