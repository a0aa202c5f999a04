#include "stack/sip_peer_filter.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include "plugins/sip-trunk/raw_peer.h"

using namespace patchbay::sip_trunk;
using patchbay::Status;
using patchbay::lib::SocketAddress;
using patchbay::test::RawPeer;

namespace {

SocketAddress address(const std::string& ip) { return *SocketAddress::parse(ip, 0); }

// Returns `count` addresses that no peer of these tests has.
std::vector<SocketAddress> others(int count, bool v6 = false) {
  std::vector<SocketAddress> addresses;
  for (int i = 0; i < count; ++i)
    addresses.push_back(address(v6 ? "2001:db8::" + std::to_string(i + 1)
                                   : "10.0." + std::to_string(i / 250) + "." + std::to_string(i % 250 + 1)));
  return addresses;
}

// A UDP socket behind the filter, and the changes that the filter has reported.
struct Guarded {
  int socket_of(uint16_t port) const {
    for (int fd = 3; fd < 1024; ++fd) {
      sockaddr_in name{};
      socklen_t size = sizeof(name);
      if (::getsockname(fd, reinterpret_cast<sockaddr*>(&name), &size) == 0 && name.sin_family == AF_INET &&
          ntohs(name.sin_port) == port)
        return fd;
    }
    return -1;
  }
  bool receives_from(const RawPeer& sender) {
    const std::string text = "hello " + std::to_string(++sent_);
    sender.send(us.port(), text);
    return us.receive(text, 0) == text;  // loopback is immediate
  }

  RawPeer us;
  std::vector<std::string> changes;  // "on", or the reason why it is off
  SipPeerFilter filter{[this](const Status& on) { changes.push_back(on ? "on" : on.error().text); }};
  std::vector<int> descriptors{socket_of(us.port())};

 private:
  int sent_ = 0;
};

}  // namespace

TEST_CASE_FIXTURE(Guarded, "the filter holds hundreds of addresses and those of running calls") {
  const RawPeer trunk("127.0.0.8"), callee("127.9.9.9"), outsider("127.0.0.2");
  auto sources = others(1000);
  sources.push_back(address("127.0.0.8"));
  filter.set_permanent(sources);
  filter.set_sockets(descriptors);
  CHECK(filter.is_on());
  CHECK(receives_from(trunk));
  CHECK_FALSE(receives_from(callee));
  filter.allow(address("127.9.9.9"));
  CHECK(receives_from(callee));
  CHECK_FALSE(receives_from(outsider));
  filter.forbid(address("127.9.9.9"));
  CHECK_FALSE(receives_from(callee));
  CHECK(changes == std::vector<std::string>{"on"});
}

TEST_CASE_FIXTURE(Guarded,
                  "a filter that cannot hold all addresses is off, reports it once, and comes back") {
  const RawPeer trunk("127.0.0.8"), callee("127.9.9.9"), outsider("127.0.0.2");
  filter.set_permanent({address("127.0.0.8")});
  filter.set_sockets(descriptors);
  filter.set_permanent(others(500, true));
  CHECK_FALSE(filter.is_on());
  filter.allow(address("127.9.9.9"));
  CHECK(receives_from(trunk));
  CHECK(receives_from(callee));
  CHECK(receives_from(outsider));
  filter.set_permanent({address("127.0.0.8")});
  CHECK(filter.is_on());
  CHECK(receives_from(trunk));
  CHECK(receives_from(callee));
  CHECK_FALSE(receives_from(outsider));
  CHECK(changes == std::vector<std::string>{"on", "500 addresses do not fit into it", "on"});
}

TEST_CASE_FIXTURE(Guarded,
                  "a kernel that refuses the filter for one socket leaves none of them half filtered") {
  const RawPeer trunk("127.0.0.8"), outsider("127.0.0.2");
  const int second = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  descriptors.push_back(second);
  filter.set_sockets(descriptors);
  CHECK_FALSE(receives_from(trunk));
  const int no_socket = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  REQUIRE(::dup2(no_socket, second) == second);
  ::close(no_socket);
  filter.allow(address("127.0.0.8"));
  CHECK_FALSE(filter.is_on());
  CHECK(receives_from(trunk));
  CHECK(receives_from(outsider));
  REQUIRE(changes.size() == 2);
  CHECK(changes[1].find("the kernel refuses 1 address") == 0);
  ::close(second);
}

TEST_CASE_FIXTURE(Guarded, "a filter without sockets is an error") {
  filter.set_sockets({});
  CHECK_FALSE(filter.is_on());
  CHECK(changes == std::vector<std::string>{"the SIP sockets are not found"});
}
