// A server that writes its frames byte by byte, and may break the protocol, and what its client reports.
#pragma once

#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <openssl/sha.h>
#include <patchbay/base64.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "support/within.h"
#include "websocket/connection.h"

namespace patchbay::lib::test {

inline constexpr std::chrono::seconds kMaxWait(40);

inline std::string upgrade_response(const std::string& request) {
  const std::string name = "Sec-WebSocket-Key: ";
  const size_t at = request.find(name) + name.size();
  const std::string text =
      request.substr(at, request.find('\r', at) - at) + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
  unsigned char digest[SHA_DIGEST_LENGTH];
  ::SHA1(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest);
  std::string accept;
  append_base64(accept, digest, sizeof digest);
  return "HTTP/1.1 101 OK\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: " + accept +
         "\r\n\r\n";
}

// Serves one connection on the test's thread.
class RawServer {
 public:
  RawServer() : listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    REQUIRE(::bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
    REQUIRE(::listen(listener_, 1) == 0);
  }
  ~RawServer() {
    hang_up();
    ::close(listener_);
  }

  std::string url() const {
    sockaddr_in address{};
    socklen_t size = sizeof address;
    ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
    return "ws://127.0.0.1:" + std::to_string(ntohs(address.sin_port)) + "/";
  }

  bool has_client() const {
    pollfd listener{listener_, POLLIN, 0};
    return ::poll(&listener, 1, 0) == 1;
  }
  // Answers the upgrade, with `frames` in the same segment.
  void accept(const std::string& frames = {}) {
    fd_ = ::accept(listener_, nullptr, nullptr);
    const timeval limit{kMaxWait.count(), 0};
    ::setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    std::string request;
    while (request.find("\r\n\r\n") == std::string::npos) {
      const std::string more = read(1);
      REQUIRE(!more.empty());
      request += more;
    }
    write(upgrade_response(request) + frames);
  }
  void write(const std::string& bytes) { ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL); }
  // Returns fewer bytes at the end of the connection.
  std::string read(size_t size) {
    std::string out(size, '\0');
    const ssize_t got = ::recv(fd_, out.data(), size, MSG_WAITALL);
    out.resize(got > 0 ? static_cast<size_t>(got) : 0);
    return out;
  }
  // Reads a client's frame of less than 126 bytes and returns its first byte and its payload.
  std::string read_frame() {
    const std::string head = read(6);
    if (head.size() < 6) return "end";
    std::string payload = read(static_cast<size_t>(head[1] & 0x7f));
    for (size_t i = 0; i < payload.size(); ++i) payload[i] = static_cast<char>(payload[i] ^ head[2 + i % 4]);
    return head.substr(0, 1) + payload;
  }
  // Returns the descriptor of the client's end, which is in this process.
  int find_client() const {
    sockaddr_in client{};
    socklen_t size = sizeof client;
    ::getpeername(fd_, reinterpret_cast<sockaddr*>(&client), &size);
    for (int fd = 0; fd < 1024; ++fd) {
      sockaddr_in own{};
      size = sizeof own;
      if (::getsockname(fd, reinterpret_cast<sockaddr*>(&own), &size) == 0 && own.sin_family == AF_INET &&
          own.sin_port == client.sin_port)
        return fd;
    }
    return -1;
  }
  void hang_up() {
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  }

 private:
  const int listener_;
  int fd_ = -1;
};

// Records what the client reports.
struct Report {
  WebSocketCallbacks callbacks() {
    return {[this] {
              const std::lock_guard lock(mutex);
              opened = true;
            },
            [this](std::string_view data, bool) {
              const std::lock_guard lock(mutex);
              messages.emplace_back(data);
            },
            [this](const WebSocketClose& how) {
              const std::lock_guard lock(mutex);
              closes.push_back(how);
            }};
  }
  template <class F>
  bool wait(F condition) {
    return within(kMaxWait, [&] {
      const std::lock_guard lock(mutex);
      return condition();
    });
  }
  bool wait_open() {
    return wait([this] { return opened; });
  }
  bool wait_closed() {
    return wait([this] { return !closes.empty(); });
  }

  std::mutex mutex;
  bool opened = false;
  std::vector<std::string> messages;
  std::vector<WebSocketClose> closes;
};

struct ConnectionFixture {
  void connect(const std::string& frames = {}, WebSocketOptions options = {}) {
    options.url = server.url();
    auto made = WebSocketClient::open(io, options, report.callbacks());
    REQUIRE(made.ok());
    client = *std::move(made);
    server.accept(frames);
  }

  RawServer server;
  Report report;
  IoThread io;
  std::unique_ptr<WebSocketClient> client;
};

inline std::string server_frame(int first, const std::string& payload) {
  return static_cast<char>(first) + std::string(1, static_cast<char>(payload.size())) + payload;
}

}  // namespace patchbay::lib::test
