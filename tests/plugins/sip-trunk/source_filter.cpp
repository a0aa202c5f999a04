#include "source_filter.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include "raw_peer.h"

using namespace patchbay::sip_trunk;
using patchbay::Status;
using patchbay::lib::SocketAddress;
using patchbay::test::RawPeer;

namespace {

SocketAddress address(const std::string& ip) { return *SocketAddress::parse(ip, 0); }

// `count` addresses that are no peer of a test.
std::vector<SocketAddress> others(int count, bool v6 = false) {
  std::vector<SocketAddress> addresses;
  for (int i = 0; i < count; ++i)
    addresses.push_back(address(v6 ? "2001:db8::" + std::to_string(i + 1)
                                   : "10.0." + std::to_string(i / 250) + "." + std::to_string(i % 250 + 1)));
  return addresses;
}

// A UDP socket behind the filter, and what the filter has told.
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
  bool hears(const RawPeer& sender) {
    const std::string text = "hello " + std::to_string(++sent_);
    sender.send(us.port(), text);
    return us.receive(text, 0) == text;  // loopback is immediate
  }

  RawPeer us;
  std::vector<std::string> told;  // "on", or why it is off
  SourceFilter filter{[this](const Status& on) { told.push_back(on ? "on" : on.error().text); }};
  std::vector<int> descriptors{socket_of(us.port())};

 private:
  int sent_ = 0;
};

}  // namespace

TEST_CASE_FIXTURE(Guarded, "the filter holds hundreds of addresses, and those of running calls too") {
  const RawPeer trunk("127.0.0.8"), callee("127.9.9.9"), stranger("127.0.0.2");
  auto sources = others(1000);
  sources.push_back(address("127.0.0.8"));
  filter.set_permanent(sources);
  filter.guard(descriptors);
  CHECK(filter.is_on());
  CHECK(hears(trunk));
  CHECK_FALSE(hears(callee));
  filter.allow(address("127.9.9.9"));
  CHECK(hears(callee));
  CHECK_FALSE(hears(stranger));
  filter.forbid(address("127.9.9.9"));
  CHECK_FALSE(hears(callee));
  CHECK(told == std::vector<std::string>{"on"});
}

TEST_CASE_FIXTURE(Guarded, "a filter that cannot hold all addresses is off, says so once, and comes back") {
  const RawPeer trunk("127.0.0.8"), callee("127.9.9.9"), stranger("127.0.0.2");
  filter.set_permanent({address("127.0.0.8")});
  filter.guard(descriptors);
  filter.set_permanent(others(500, true));
  CHECK_FALSE(filter.is_on());
  filter.allow(address("127.9.9.9"));
  CHECK(hears(trunk));
  CHECK(hears(callee));
  CHECK(hears(stranger));
  filter.set_permanent({address("127.0.0.8")});
  CHECK(filter.is_on());
  CHECK(hears(trunk));
  CHECK(hears(callee));
  CHECK_FALSE(hears(stranger));
  CHECK(told == std::vector<std::string>{"on", "500 addresses do not fit into it", "on"});
}

TEST_CASE_FIXTURE(Guarded,
                  "a kernel that refuses the filter for one socket leaves none of them half filtered") {
  const RawPeer trunk("127.0.0.8"), stranger("127.0.0.2");
  const int second = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  descriptors.push_back(second);
  filter.guard(descriptors);
  CHECK_FALSE(hears(trunk));
  const int no_socket = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  REQUIRE(::dup2(no_socket, second) == second);
  ::close(no_socket);
  filter.allow(address("127.0.0.8"));
  CHECK_FALSE(filter.is_on());
  CHECK(hears(trunk));
  CHECK(hears(stranger));
  REQUIRE(told.size() == 2);
  CHECK(told[1].find("the kernel refuses 1 address") == 0);
  ::close(second);
}

TEST_CASE_FIXTURE(Guarded, "a filter without sockets says so") {
  filter.guard({});
  CHECK_FALSE(filter.is_on());
  CHECK(told == std::vector<std::string>{"the SIP sockets are not found"});
}
