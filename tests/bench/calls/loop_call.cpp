#include "bench/calls/loop_call.h"

#include <fcntl.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "bench/calls/loopback.h"

namespace patchbay::bench {
namespace {

[[noreturn]] void die(const char* what) {
  std::perror(what);
  std::exit(1);
}

int connected(int type, uint16_t port) {
  const int fd = ::socket(AF_INET, type | SOCK_CLOEXEC, 0);
  const sockaddr_in to = loopback(port);
  if (::connect(fd, reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0) die("paced loop: connect");
  return fd;
}

}  // namespace

LoopCall::LoopCall(size_t number, const LoopPeers& peers)
    : udp_(connected(SOCK_DGRAM, peers.telephones_port)),
      tcp_(connected(SOCK_STREAM, peers.engine_port)),
      ssl_(::SSL_new(peers.context)) {
  const int on = 1;
  ::setsockopt(tcp_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  ::SSL_set_fd(ssl_, tcp_);
  if (::SSL_connect(ssl_) != 1) die("paced loop: TLS");
  upgrade();
  std::string frame;
  mask(frame, R"({"setup":{"text":"telephone )" + std::to_string(number) + ".\"}}");
  write(frame);
  ::fcntl(tcp_, F_SETFL, O_NONBLOCK);
  ::fcntl(udp_, F_SETFL, O_NONBLOCK);
}

LoopCall::~LoopCall() {
  ::SSL_free(ssl_);
  ::close(tcp_);
  ::close(udp_);
}

uint16_t LoopCall::port() const {
  sockaddr_in address{};
  socklen_t size = sizeof address;
  ::getsockname(udp_, reinterpret_cast<sockaddr*>(&address), &size);
  return ntohs(address.sin_port);
}

void LoopCall::upgrade() {
  const std::string request =
      "GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n";
  ::SSL_write(ssl_, request.data(), static_cast<int>(request.size()));
  std::string answer;
  for (char byte; answer.find("\r\n\r\n") == std::string::npos; answer += byte)
    if (::SSL_read(ssl_, &byte, 1) != 1) die("paced loop: upgrade");
}

void LoopCall::mask(std::string& frame, std::string_view payload) {
  frame.assign(1, '\x81');
  if (payload.size() < 126) {
    frame += static_cast<char>(0x80u | payload.size());
  } else {
    frame += '\xfe';
    frame += static_cast<char>(payload.size() >> 8);
    frame += static_cast<char>(payload.size());
  }
  const auto mask = static_cast<uint32_t>(random_());
  char key[4];
  std::memcpy(key, &mask, sizeof key);
  frame.append(key, sizeof key);
  const size_t begin = frame.size();
  frame += payload;
  for (size_t i = 0; i < payload.size(); ++i)
    frame[begin + i] = static_cast<char>(frame[begin + i] ^ key[i % 4]);
}

void LoopCall::write(const std::string& frame) {
  ::SSL_write(ssl_, frame.data(), static_cast<int>(frame.size()));
}

void LoopCall::send(const uint8_t* packet, size_t bytes) { ::send(udp_, packet, bytes, 0); }

uint64_t LoopCall::carry() {
  std::array<uint8_t, 2048> datagram;
  for (ssize_t size; (size = ::recv(udp_, datagram.data(), datagram.size(), 0)) >= 0;)
    on_packet(datagram.data(), static_cast<size_t>(size));

  std::array<char, 16384> bytes;
  for (int size; (size = ::SSL_read(ssl_, bytes.data(), static_cast<int>(bytes.size()))) > 0;)
    received_.append(bytes.data(), static_cast<size_t>(size));
  uint64_t sent = 0;
  size_t at = 0;
  while (received_.size() >= at + 4) {
    const auto* head = reinterpret_cast<const uint8_t*>(received_.data()) + at;
    const bool is_long = (head[1] & 0x7f) == 126;
    const size_t begin = at + (is_long ? 4 : 2);
    const size_t size = is_long ? size_t{head[2]} << 8 | head[3] : head[1] & 0x7fu;
    if (received_.size() < begin + size) break;
    sent += on_message({received_.data() + begin, size});
    at = begin + size;
  }
  received_.erase(0, at);
  return sent;
}

}  // namespace patchbay::bench
