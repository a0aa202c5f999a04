#include "receiver_address.h"

#include <doctest/doctest.h>
#include <sys/resource.h>

using namespace patchbay::webhooks;

TEST_CASE("addresses that are not on the Internet are refused") {
  for (const std::string address : {"127.0.0.1",
                                    "127.255.255.254",
                                    "0.0.0.0",
                                    "10.0.0.1",
                                    "10.255.255.255",
                                    "172.16.0.1",
                                    "172.31.255.255",
                                    "192.168.1.1",
                                    "169.254.169.254",
                                    "100.64.0.1",
                                    "100.127.255.255",
                                    "100.100.100.200",
                                    "192.0.0.192",
                                    "192.0.2.2",
                                    "192.88.99.1",
                                    "198.51.100.7",
                                    "203.0.113.7",
                                    "2001:db8::1",
                                    "3fff:0fff::1",
                                    "198.18.0.1",
                                    "224.0.0.1",
                                    "239.255.255.255",
                                    "240.0.0.1",
                                    "255.255.255.255",
                                    "::",
                                    "::1",
                                    "fe80::1",
                                    "fe80::1%eth0",
                                    "fc00::1",
                                    "fd00:ec2::254",
                                    "ff02::1",
                                    "fec0::1",
                                    "::ffff:127.0.0.1",
                                    "::ffff:8.8.8.8",
                                    "::ffff:0:8.8.8.8",
                                    "::127.0.0.1",
                                    "64:ff9b::7f00:1",
                                    "64:ff9b::10.0.0.1",
                                    "64:ff9b:1::1",
                                    "2002:7f00:1::",
                                    "2001::1",
                                    "100::1",
                                    "",
                                    "localhost",
                                    "1.2.3",
                                    "0x7f.0.0.1",
                                    "127.1"}) {
    INFO(address);
    CHECK_FALSE(is_public_text(address));
  }
}

TEST_CASE("addresses next to the refused ones are public") {
  for (const std::string address : {"8.8.8.8",         "9.255.255.255",   "11.0.0.0",
                                    "100.63.255.255",  "100.128.0.0",     "126.255.255.255",
                                    "128.0.0.0",       "169.253.255.255", "169.255.0.0",
                                    "172.15.255.255",  "172.32.0.0",      "192.0.1.0",
                                    "192.167.255.255", "192.169.0.0",     "198.17.255.255",
                                    "198.20.0.0",      "203.0.114.7",     "223.255.255.255",
                                    "2606:4700::1111", "2001:db9::1",     "2001:4860:4860::8888",
                                    "64:ff9b::8.8.8.8"}) {
    INFO(address);
    CHECK(is_public_text(address));
  }
}

TEST_CASE("the addresses of this machine's interfaces are recognised") {
  CHECK(is_own_text("127.0.0.1"));
  CHECK(is_own_text("::ffff:127.0.0.1"));
  CHECK_FALSE(is_own_text("8.8.8.8"));
  CHECK_FALSE(is_own_text("2606:4700::1111"));
  CHECK_FALSE(is_own_text("localhost"));
}

TEST_CASE("every address counts as this machine's when its interfaces cannot be listed") {
  rlimit usual{};
  REQUIRE(getrlimit(RLIMIT_NOFILE, &usual) == 0);
  const rlimit none{0, usual.rlim_max};  // so that getifaddrs() gets no socket
  REQUIRE(setrlimit(RLIMIT_NOFILE, &none) == 0);
  const bool own = is_own_text("8.8.8.8");
  REQUIRE(setrlimit(RLIMIT_NOFILE, &usual) == 0);
  CHECK(own);
}
