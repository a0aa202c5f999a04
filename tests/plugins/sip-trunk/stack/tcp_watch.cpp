// TCP connections that begin with junk, stay silent, or die without a FIN.
#include "stack/tcp_watch.h"

#include <doctest/doctest.h>
#include <linux/filter.h>
#include <poll.h>
#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <thread>

#include "plugins/sip-trunk/caller.h"
#include "plugins/sip-trunk/raw_peer.h"
#include "support/free_ports.h"

using namespace patchbay::sip_trunk;
using namespace patchbay::test;
using patchbay::lib::SocketAddress;

namespace {

class Tcp {
 public:
  explicit Tcp(int fd) : fd_(fd) {
    const timeval limit{20, 0};
    (void)::setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
  }
  Tcp(const char* from, uint16_t port, int limit_s = 20)
      : Tcp(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const timeval limit{limit_s, 0};
    (void)::setsockopt(fd_, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
    sockaddr_storage storage;
    socklen_t size = SocketAddress::parse(from, 0)->fill(storage);
    (void)::bind(fd_, reinterpret_cast<sockaddr*>(&storage), size);
    size = SocketAddress::parse("127.0.0.1", port)->fill(storage);
    is_connected = ::connect(fd_, reinterpret_cast<sockaddr*>(&storage), size) == 0;
  }
  Tcp(Tcp&& other) noexcept : is_connected(other.is_connected), fd_(std::exchange(other.fd_, -1)) {}
  Tcp& operator=(Tcp&&) = delete;
  ~Tcp() { close(); }
  void close() {
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  }
  SocketAddress local() const {
    sockaddr_storage storage{};
    socklen_t size = sizeof(storage);
    (void)::getsockname(fd_, reinterpret_cast<sockaddr*>(&storage), &size);
    return SocketAddress::from(storage);
  }
  void send(const std::string& text) const { (void)::send(fd_, text.data(), text.size(), MSG_NOSIGNAL); }
  // Receives up to an empty line; "" if the connection ends or nothing comes.
  std::string receive() const {
    std::string text;
    char c;
    while (text.size() < 20'000 && text.find("\r\n\r\n") == std::string::npos)
      if (::recv(fd_, &c, 1, 0) != 1)
        return {};
      else if (!(text.empty() && (c == '\r' || c == '\n')))
        text += c;
    return text;
  }
  std::string receive_bytes(size_t count) const {
    std::string text(count, '\0');
    return ::recv(fd_, text.data(), count, MSG_WAITALL) == static_cast<ssize_t>(count) ? text : std::string();
  }
  void send_end() const { (void)::shutdown(fd_, SHUT_WR); }
  bool wait_ended() const {
    char c;
    ssize_t size = 1;
    while (size > 0) size = ::recv(fd_, &c, 1, 0);
    return size == 0 || errno == ECONNRESET;
  }
  bool has_ended() const {
    pollfd state{fd_, POLLRDHUP, 0};
    return ::poll(&state, 1, 0) == 1;
  }
  // Makes the kernel drop all packets, as a firewall does that has dropped the connection.
  void go_deaf() const {
    sock_filter drop{BPF_RET | BPF_K, 0, 0, 0};
    const sock_fprog program{1, &drop};
    REQUIRE(::setsockopt(fd_, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof(program)) == 0);
  }

  bool is_connected = true;

 private:
  int fd_;
};

// While it exists, this process cannot open another descriptor.
class NoDescriptors {
 public:
  NoDescriptors() {
    REQUIRE(::getrlimit(RLIMIT_NOFILE, &before_) == 0);
    const rlimit none{1, before_.rlim_max};
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &none) == 0);
  }
  NoDescriptors(const NoDescriptors&) = delete;
  NoDescriptors& operator=(const NoDescriptors&) = delete;
  ~NoDescriptors() { (void)::setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  rlimit before_{};
};

class TcpPeer {
 public:
  TcpPeer() : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_storage storage;
    socklen_t size = SocketAddress::parse("127.0.0.1", 0)->fill(storage);
    (void)::bind(fd_, reinterpret_cast<sockaddr*>(&storage), size);
    (void)::listen(fd_, 16);
    (void)::getsockname(fd_, reinterpret_cast<sockaddr*>(&storage), &size);
    port = SocketAddress::from(storage).port();
    const timeval limit{20, 0};
    (void)::setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
  }
  ~TcpPeer() { ::close(fd_); }
  Tcp accept() const { return Tcp(::accept4(fd_, nullptr, nullptr, SOCK_CLOEXEC)); }

  uint16_t port = 0;

 private:
  int fd_;
};

size_t accepted(uint16_t port) {
  const auto sockets = OwnSockets().list();
  return static_cast<size_t>(std::count_if(sockets.begin(), sockets.end(), [&](const OwnSocket& socket) {
    return socket.is_stream && !socket.is_listening && socket.local.port() == port;
  }));
}

bool wait_accepted(uint16_t port, size_t count) {
  for (int i = 0; i < 3000; ++i) {
    if (accepted(port) == count) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

}  // namespace

TEST_CASE("connections that begin with junk are closed when the peer closes them") {
  auto stack = *start_stack({.allowed_peers = {*SocketAddress::parse("127.0.0.1", 0)}});
  for (const char* junk :
       {"a\r\n\r\n", "GET /\r\n\r\n", "SSH-2.0-Go\r\n\r\n", "INVITE\r\nVia: x\r\n\r\n", "\x16\x03\x01"})
    for (int i = 0; i < 20; ++i) {
      Tcp tcp("127.0.0.1", stack->port());
      CHECK(tcp.is_connected);
      tcp.send(junk);
    }
  CHECK(wait_accepted(stack->port(), 0));
}

TEST_CASE("connections that begin with junk are closed even if no descriptor is left") {
  auto stack = *start_stack({.allowed_peers = {*SocketAddress::parse("127.0.0.1", 0)}});
  std::vector<Tcp> far;
  for (int i = 0; i < 20; ++i) {
    far.emplace_back("127.0.0.1", stack->port());
    far.back().send("GET /\r\n\r\n");
  }
  CHECK(wait_accepted(stack->port(), far.size()));
  for (const Tcp& tcp : far) tcp.send_end();
  const NoDescriptors none;
  CHECK(std::all_of(far.begin(), far.end(), [](const Tcp& tcp) { return tcp.wait_ended(); }));
  // The sweep counts after the peers have seen the end.
  CHECK(wait_until([&] { return stack->counts().tcp_peer_closed == far.size(); }));
  CHECK(stack->counts().tcp_idle == 0);
}

TEST_CASE("an address without a trunk cannot connect") {
  auto stack = *start_stack({.allowed_peers = {*SocketAddress::parse("127.0.0.1", 0)}});
  CHECK_FALSE(Tcp("127.0.0.2", stack->port(), 1).is_connected);
  CHECK(Tcp("127.0.0.1", stack->port()).is_connected);
}

TEST_CASE("without a TCP trunk no TCP port is open") {
  auto stack = *start_stack({.tcp = false, .allowed_peers = {*SocketAddress::parse("127.0.0.1", 0)}});
  CHECK_FALSE(Tcp("127.0.0.1", stack->port()).is_connected);
  Caller caller;
  auto call = call_to(free_port());
  call.trunk.transport = Transport::tcp;
  REQUIRE(stack->dial(call, caller));
  CHECK(caller.wait_ended().reason == EndReason::transport);
}

TEST_CASE("idle connections and those beyond the limit are shut down") {
  TcpPeer server;  // plays the SIP port
  std::vector<Tcp> far, near;
  for (int i = 0; i < 3; ++i) {
    far.emplace_back("127.0.0.1", server.port);
    near.push_back(server.accept());
  }
  const auto ended = [&far] {
    return std::count_if(far.begin(), far.end(), [](const Tcp& tcp) { return tcp.has_ended(); });
  };
  TcpWatch many({server.port}, {.max_accepted = 2, .idle_ms = 3'600'000});
  CHECK(many.sweep({}).excess == 1);
  for (int i = 0; i < 3000 && ended() < 1; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  CHECK(ended() == 1);
  TcpWatch idle({server.port}, {.max_accepted = 100, .idle_ms = 0});
  // Not those that calls came over.
  std::vector<SocketAddress> in_use;
  for (const Tcp& tcp : far) in_use.push_back(tcp.local());
  CHECK(idle.sweep({}, in_use).idle == 0);
  CHECK(idle.sweep({}).idle == 2);
  for (int i = 0; i < 3000 && ended() < 3; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  CHECK(ended() == 3);
}

TEST_CASE("a connection to a trunk that died silently is replaced") {
  TcpPeer peer;
  auto stack = *start_stack();
  const auto refuse_by = [&](const Tcp& tcp) {
    const std::string invite = tcp.receive();
    REQUIRE(invite.rfind("INVITE ", 0) == 0);
    tcp.send(answer_to(invite, "486 Busy Here"));
  };
  auto call = call_to(peer.port);
  call.trunk.transport = Transport::tcp;
  Caller first;
  REQUIRE(stack->dial(call, first));
  Tcp connection = peer.accept();
  refuse_by(connection);
  CHECK(first.wait_ended().sip_status == 486);
  connection.go_deaf();
  Caller second;
  call.call_id = "second";
  REQUIRE(stack->dial(call, second));
  Tcp fresh = peer.accept();
  refuse_by(fresh);
  CHECK(second.wait_ended().sip_status == 486);
}

TEST_CASE("connections to trunks are kept alive by pings") {
  TcpPeer peer;
  auto stack = *start_stack({.tcp_keepalive_ms = 200});
  auto call = call_to(peer.port);
  call.trunk.transport = Transport::tcp;
  Caller caller;
  REQUIRE(stack->dial(call, caller));
  const Tcp connection = peer.accept();
  connection.send(answer_to(connection.receive(), "486 Busy Here"));
  // Behind the body of the INVITE, and perhaps a ping.
  std::string message = connection.receive();
  while (!message.empty() && message.find("ACK ") == std::string::npos) message = connection.receive();
  CHECK(message.find("ACK ") != std::string::npos);
  CHECK(connection.receive_bytes(4) == "\r\n\r\n");
}

TEST_CASE("a peer over TCP hangs up its own call and another address does not") {
  TcpPeer peer;
  auto stack = *start_stack({.allowed_peers = {*SocketAddress::parse("127.0.0.2", 0)}});
  auto call = call_to(peer.port);
  call.trunk.transport = Transport::tcp;
  Caller caller;
  REQUIRE(stack->dial(call, caller));
  const Tcp connection = peer.accept();
  const std::string invite = connection.receive();
  const std::string contact = "sip:127.0.0.1:" + std::to_string(peer.port) + ";transport=tcp";
  connection.send(answer_to(invite, "200 OK", contact, "", kOffer));
  REQUIRE(caller.wait_answered());
  CHECK(connection.receive().find("ACK ") != std::string::npos);  // behind the body of the INVITE
  const auto bye = [&](const std::string& from_ip, int sequence) {
    return "BYE sip:us@127.0.0.1 SIP/2.0\r\nVia: SIP/2.0/TCP " + from_ip + ";branch=z9hG4bK" +
           std::to_string(sequence) + "\r\nFrom: " + header(invite, "To") +
           ";tag=peer\r\nTo: " + header(invite, "From") + "\r\nCall-ID: " + header(invite, "Call-ID") +
           "\r\nCSeq: " + std::to_string(sequence) + " BYE\r\nMax-Forwards: 70\r\nContent-Length: 0\r\n\r\n";
  };
  const Tcp other("127.0.0.2", stack->port());
  REQUIRE(other.is_connected);
  other.send(bye("127.0.0.2", 900));
  CHECK(other.receive().rfind("SIP/2.0 481", 0) == 0);
  CHECK_FALSE(caller.ended());
  connection.send(bye("127.0.0.1", 7));
  CHECK(connection.receive().rfind("SIP/2.0 200", 0) == 0);
  CHECK(caller.wait_ended().reason == EndReason::far_hangup);
}
