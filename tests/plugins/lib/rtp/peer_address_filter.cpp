#include "rtp/peer_address_filter.h"

#include <doctest/doctest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <vector>

#include "loopback.h"

using namespace patchbay::lib;

namespace {

SocketAddress address(const char* ip, uint16_t port = 0) { return *SocketAddress::parse(ip, port); }

// Whether a datagram from `from` reaches a socket at `to` that accepts only `allowed`.
bool reaches(const char* from, const char* to, const std::vector<SocketAddress>& allowed) {
  auto receiver = RtpSocket::open(address(to), 0, 0);
  auto sender = RtpSocket::open(address(from), 0, 0);
  REQUIRE(receiver);
  REQUIRE(sender);
  receiver->accept_only(allowed.data(), allowed.size());
  const uint8_t byte = 1;
  REQUIRE(sender->send(RtpSocket::Channel::rtp, address(to, receiver->rtp_port()), &byte, 1));
  uint8_t data[8];
  SocketAddress source;
  return receive_one(*receiver, RtpSocket::Channel::rtp, data, sizeof(data), source) ==
         1;  // loopback is immediate
}

}  // namespace

TEST_CASE("only the addresses of the program get through") {
  const SocketAddress v6 = address("2001:db8::1");
  CHECK(reaches("127.0.0.1", "127.0.0.1", {v6, address("127.0.0.2"), address("127.0.0.1")}));
  CHECK_FALSE(reaches("127.0.0.1", "127.0.0.1", {v6, address("127.0.0.2")}));
  CHECK_FALSE(reaches("127.0.0.1", "127.0.0.1", {}));
}

TEST_CASE("IPv6 addresses are compared whole") {
  if (!RtpSocket::open(address("::1"), 0, 0)) return;  // this machine has no IPv6
  CHECK(reaches("::1", "::1", {address("127.0.0.1"), address("::2"), address("::1")}));
  CHECK_FALSE(reaches("::1", "::1", {address("127.0.0.1"), address("::2"), address("1::1")}));
}

TEST_CASE("a program that is too long is not written") {
  std::array<sock_filter, 9> code;
  const SocketAddress peer = address("192.0.2.1");
  CHECK(write_peer_address_filter(&peer, 1, code.data(), code.size()) == 9);
  CHECK(write_peer_address_filter(&peer, 1, code.data(), 8) == 0);
}
