// Two connections of clients to one TLS server, of which the second resumes the session of the first.
#include "websocket/tls_sessions.h"

#include <doctest/doctest.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "plugins/lib/websocket/tls_server.h"
#include "websocket/byte_stream.h"
#include "websocket/limits.h"

using namespace patchbay::lib;
using test::TlsServer;
using test::TlsServerContext;

namespace {

struct TlsSessionsFixture {
  TlsSessionsFixture() {
    std::string pem;
    server = test::make_server_context(&pem);
    std::ofstream(ca_file) << pem;
  }
  ~TlsSessionsFixture() { std::filesystem::remove(ca_file); }

  struct Peer {
    std::string host = "localhost";
    bool verify = true;
    std::string session_group = "a";
    bool clean_end = true;
  };
  // Connects, and takes the sessions that the server offers. Returns whether the server resumed a session.
  bool is_resumed(const Peer& peer) {
    std::array<int, 2> fds{};
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds.data()) == 0);
    ByteStream client(fds[0]);
    TlsServer accepted(fds[1], server);
    REQUIRE(client.start_tls(*contexts.get(ca_file), peer.host, peer.verify, peer.session_group));
    bool done = false, is_accepted = false;
    for (int i = 0; i < 10 && !(done && is_accepted); ++i) {
      client.begin_turn();
      if (!done) done = client.handshake() == ByteStream::State::done;
      is_accepted = accepted.handshake();
    }
    CAPTURE(client.error());
    REQUIRE(done);
    REQUIRE(is_accepted);
    // What the server sends first follows its sessions.
    accepted.write("data");
    accepted.flush();
    std::array<char, 100> bytes{};
    client.begin_turn();
    const ByteStream::Moved moved = client.read(bytes.data(), bytes.size());
    CHECK(std::string(bytes.data(), moved.bytes) == "data");
    CHECK(client.write("answer", 6).bytes == 6);
    accepted.receive();
    CHECK(accepted.read() == "answer");
    if (peer.clean_end) client.shut_down();
    return ::SSL_session_reused(accepted.tls()) == 1;
  }
  // Returns whether the handshake fails.
  bool is_failing(const Peer& peer) {
    std::array<int, 2> fds{};
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds.data()) == 0);
    ByteStream client(fds[0]);
    TlsServer accepted(fds[1], server);
    REQUIRE(client.start_tls(*contexts.get(ca_file), peer.host, peer.verify, peer.session_group));
    ByteStream::State state = ByteStream::State::wants_read;
    for (int i = 0; i < 10 && state == ByteStream::State::wants_read; ++i) {
      client.begin_turn();
      state = client.handshake();
      accepted.handshake();
    }
    return state == ByteStream::State::failed;
  }
  // Connects so often that no session is left.
  size_t count_resumed(const Peer& peer, int connections) {
    size_t resumed = 0;
    for (int i = 0; i < connections; ++i)
      if (is_resumed(peer)) ++resumed;
    return resumed;
  }

  const std::string ca_file =
      (std::filesystem::temp_directory_path() / ("patchbay-ca-" + std::to_string(::getpid()))).string();
  TlsServerContext server;
  TlsContexts contexts;
};

}  // namespace

TEST_CASE_FIXTURE(TlsSessionsFixture, "the second connection resumes the session of the first") {
  CHECK_FALSE(is_resumed({}));
  for (int i = 0; i < 5; ++i) CHECK(is_resumed({}));
}

TEST_CASE_FIXTURE(TlsSessionsFixture, "a session is resumed also after its connection was lost") {
  CHECK_FALSE(is_resumed({.clean_end = false}));
  CHECK(is_resumed({.clean_end = false}));
  CHECK(is_resumed({}));
}

TEST_CASE_FIXTURE(TlsSessionsFixture, "a session of TLS 1.2 is resumed again and again") {
  ::SSL_CTX_set_max_proto_version(server.get(), TLS1_2_VERSION);
  CHECK_FALSE(is_resumed({}));
  for (int i = 0; i < 3; ++i) CHECK(is_resumed({}));
}

TEST_CASE_FIXTURE(TlsSessionsFixture,
                  "no session is resumed for another host, verification or group, or for no group") {
  CHECK_FALSE(is_resumed({}));
  CHECK_FALSE(is_resumed({.host = "127.0.0.1"}));
  CHECK_FALSE(is_resumed({.verify = false}));
  CHECK_FALSE(is_resumed({.session_group = "b"}));
  CHECK_FALSE(is_resumed({.session_group = ""}));
  CHECK_FALSE(is_resumed({.session_group = ""}));
  CHECK(is_resumed({}));
  CHECK(is_resumed({.host = "127.0.0.1"}));
  CHECK(is_resumed({.verify = false}));
}

TEST_CASE_FIXTURE(TlsSessionsFixture, "a session is resumed once at most") {
  ::SSL_CTX_set_num_tickets(server.get(), 1);
  CHECK_FALSE(is_resumed({}));
  ::SSL_CTX_set_num_tickets(server.get(), 0);
  CHECK(is_resumed({}));
  CHECK_FALSE(is_resumed({}));
}

TEST_CASE_FIXTURE(TlsSessionsFixture, "a server that refuses a session makes a whole handshake") {
  CHECK_FALSE(is_resumed({}));
  // Another key, as after a restart of the server.
  std::array<unsigned char, 80> key{};
  REQUIRE(SSL_CTX_set_tlsext_ticket_keys(server.get(), key.data(), key.size()) == 1);
  CHECK_FALSE(is_resumed({}));
  CHECK(is_resumed({}));
}

TEST_CASE_FIXTURE(TlsSessionsFixture,
                  "after a server failed with a session, the next connection resumes none") {
  CHECK_FALSE(is_resumed({}));
  ::SSL_CTX_set_client_hello_cb(
      server.get(),
      [](SSL* tls, int* alert, void*) {
        const unsigned char* bytes = nullptr;
        size_t size = 0;
        *alert = SSL_AD_INTERNAL_ERROR;
        return ::SSL_client_hello_get0_ext(tls, TLSEXT_TYPE_psk, &bytes, &size) == 1
                   ? SSL_CLIENT_HELLO_ERROR
                   : SSL_CLIENT_HELLO_SUCCESS;
      },
      nullptr);
  CHECK(is_failing({}));
  CHECK_FALSE(is_failing({}));
}

TEST_CASE_FIXTURE(
    TlsSessionsFixture,
    "after a server closed the connection or sent nothing, the next connection resumes no session") {
  ::SSL_CTX_set_max_proto_version(server.get(), TLS1_2_VERSION);
  const std::string close_notify("\x15\x03\x03\x00\x02\x01\x00", 7);
  for (const std::string& answer : {close_notify, std::string()}) {
    CAPTURE(answer.size());
    is_resumed({});
    CHECK(is_resumed({}));
    std::array<int, 2> fds{};
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds.data()) == 0);
    {
      ByteStream client(fds[0]);
      client.begin_turn();
      REQUIRE(client.start_tls(*contexts.get(ca_file), "localhost", true, "a"));
      CHECK(client.handshake() == ByteStream::State::wants_read);
      CHECK(::write(fds[1], answer.data(), answer.size()) == static_cast<ssize_t>(answer.size()));
      CHECK(client.handshake() ==
            (answer.empty() ? ByteStream::State::wants_read : ByteStream::State::ended));
    }
    ::close(fds[1]);
    CHECK_FALSE(is_resumed({}));
  }
}

TEST_CASE_FIXTURE(TlsSessionsFixture, "a session with a very long ticket is not kept") {
  // The server's ticket contains this data.
  static std::string data;
  ::SSL_CTX_set_session_ticket_cb(
      server.get(),
      [](SSL* tls, void*) {
        return ::SSL_SESSION_set1_ticket_appdata(::SSL_get_session(tls), data.data(), data.size());
      },
      nullptr, nullptr);
  data.assign(1000, 'x');
  is_resumed({});
  CHECK(is_resumed({}));
  data.assign(8000, 'x');
  is_resumed({.session_group = "b"});
  CHECK_FALSE(is_resumed({.session_group = "b"}));
}

TEST_CASE_FIXTURE(TlsSessionsFixture, "the sessions of a peer, and of all, are limited") {
  ::SSL_CTX_set_num_tickets(server.get(), 50);
  is_resumed({});
  ::SSL_CTX_set_num_tickets(server.get(), 0);
  CHECK(count_resumed({}, 50) == kMaxTlsSessionsOfPeer);

  ::SSL_CTX_set_num_tickets(server.get(), 1);
  for (size_t i = 0; i <= kMaxTlsSessions; ++i) is_resumed({.session_group = std::to_string(i)});
  ::SSL_CTX_set_num_tickets(server.get(), 0);
  CHECK_FALSE(is_resumed({.session_group = "0"}));
  CHECK(is_resumed({.session_group = "1"}));
}
