// A stream through TLS, with a peer whose records the test writes.
#include "websocket/byte_stream.h"

#include <doctest/doctest.h>
#include <openssl/ssl.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <array>
#include <string>

#include "plugins/lib/websocket/tls_server.h"

using namespace patchbay;
using lib::ByteStream;
using lib::test::TlsServer;

namespace {

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
    bool accepted = false;
    for (int i = 0; i < 10 && !(done && accepted); ++i) {
      stream.begin_turn();
      done = stream.handshake() == ByteStream::State::done;
      accepted = server.handshake();
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
  TlsServer server{fds[1], lib::test::make_server_context()};
};

}  // namespace

TEST_CASE_FIXTURE(StreamFixture, "records without data take no more than a turn of one read") {
  std::array<char, 100> bytes;
  stream.begin_turn();
  CHECK(stream.read(bytes.data(), bytes.size()).state == ByteStream::State::wants_read);
  for (int i = 0; i < 5000; ++i) server.update_key(SSL_KEY_UPDATE_NOT_REQUESTED);
  server.write("data");
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
