#include "rtp/socket.h"

#include <doctest/doctest.h>

#include <chrono>
#include <thread>
#include <vector>

#include "loopback.h"

using namespace patchbay::lib;
using Channel = RtpSocket::Channel;
using patchbay::Code;

namespace {

ptrdiff_t receive(RtpSocket& socket, Channel channel, uint8_t* data, size_t size, SocketAddress& source) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (std::chrono::steady_clock::now() < deadline) {
    const auto got = receive_one(socket, channel, data, size, source);
    if (got >= 0) return got;
    std::this_thread::yield();
  }
  return -1;
}

}  // namespace

TEST_CASE("a pair is bound to an even port and the one after it") {
  auto a = RtpSocket::open(loopback(), 0, 0);
  auto b = RtpSocket::open(loopback(), 0, 0);
  REQUIRE(a);
  REQUIRE(b);
  CHECK(a->rtp_port() % 2 == 0);
  uint8_t data[16] = {1, 2, 3};
  SocketAddress source;
  CHECK(receive_one(*b, Channel::rtp, data, sizeof(data), source) == -1);
  CHECK(a->send(Channel::rtp, loopback(b->rtp_port()), data, 3));
  CHECK(receive(*b, Channel::rtp, data, sizeof(data), source) == 3);
  CHECK(source == loopback(a->rtp_port()));
  CHECK(a->send(Channel::rtcp, loopback(static_cast<uint16_t>(b->rtp_port() + 1)), data, 2));
  CHECK(receive(*b, Channel::rtcp, data, sizeof(data), source) == 2);
  CHECK(source.port() == a->rtp_port() + 1);
}

TEST_CASE("datagrams arrive in order, and one that is too long is empty") {
  auto a = RtpSocket::open(loopback(), 0, 0);
  auto b = RtpSocket::open(loopback(), 0, 0);
  REQUIRE(a);
  REQUIRE(b);
  const auto target = loopback(b->rtp_port());
  const std::vector<uint8_t> large(2049, 7);
  for (uint8_t i = 0; i < 40; ++i)
    REQUIRE(a->send(Channel::rtp, target, i == 20 ? large.data() : &i, i == 20 ? large.size() : 1));
  Datagram got;
  uint8_t expected = 0;
  for (; b->receive(Channel::rtp, got); ++expected) {
    CHECK(got.sender == loopback(a->rtp_port()));
    CHECK(got.size == (expected == 20 ? 0 : 1));
    if (expected != 20) CHECK(got.data[0] == expected);
  }
  CHECK(expected == 40);  // loopback is immediate
}

TEST_CASE("an exhausted range of ports is an error") {
  bool is_free_again = false;
  for (int i = 0; i < 20 && !is_free_again; ++i) {  // another process may take the port that was released
    auto probe = RtpSocket::open(loopback(), 0, 0);
    REQUIRE(probe);
    const uint16_t port = probe->rtp_port();
    CHECK(RtpSocket::open(loopback(), port, static_cast<uint16_t>(port + 1)).error().code == Code::exhausted);
    { auto released = std::move(*probe); }
    const auto again = RtpSocket::open(loopback(), port, static_cast<uint16_t>(port + 1));
    is_free_again = again.ok() && again->rtp_port() == port;
  }
  CHECK(is_free_again);
  CHECK(RtpSocket::open(loopback(), 5001, 5001).error().code == Code::invalid);
}

TEST_CASE("one address has one value") {
  CHECK(*SocketAddress::parse("::ffff:192.0.2.1", 5) == *SocketAddress::parse("192.0.2.1", 5));
  CHECK(SocketAddress::parse("2001:db8::1", 5)->text() == "[2001:db8::1]:5");
  CHECK(SocketAddress::parse("0.0.0.0", 5)->is_unspecified());
  CHECK(SocketAddress::parse("::", 5)->is_unspecified());
  CHECK_FALSE(SocketAddress::parse("example.com", 5));
  CHECK_FALSE(SocketAddress::parse("127.1", 5));
  CHECK_FALSE(loopback().same_ip(SocketAddress{}));
}
