#include "rtp/address.h"

#include <doctest/doctest.h>

using namespace patchbay::lib;

TEST_CASE("an address says where packets to it may go") {
  const auto kind = [](const char* ip) { return SocketAddress::parse(ip, 5004)->kind(); };
  for (const char* ip : {"192.0.2.1", "10.0.0.1", "192.168.1.1", "126.255.255.255", "128.0.0.1", "223.1.1.1",
                         "169.253.1.1", "2001:db8::1", "fd00::1", "fec0::1", "::2"})
    CHECK(kind(ip) == AddressKind::host);
  for (const char* ip : {"0.0.0.0", "0.1.2.3", "::"}) CHECK(kind(ip) == AddressKind::unspecified);
  for (const char* ip : {"127.0.0.1", "127.255.0.9", "::1", "::ffff:127.0.0.1"})
    CHECK(kind(ip) == AddressKind::loopback);
  for (const char* ip : {"169.254.0.1", "fe80::1", "febf::1", "::ffff:169.254.1.1"})
    CHECK(kind(ip) == AddressKind::link_local);
  for (const char* ip : {"224.0.0.1", "239.1.2.3", "240.0.0.1", "255.255.255.255", "ff02::1"})
    CHECK(kind(ip) == AddressKind::multicast);
  CHECK(SocketAddress().kind() == AddressKind::unspecified);
}
