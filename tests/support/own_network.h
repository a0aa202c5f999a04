// Repeats a test of this program in a network namespace with only a loopback interface and a resolv.conf with
// one DNS server. Skips the test without the right to create namespaces. Not for a store on PostgreSQL, which
// refuses root, the only user there.
#pragma once

#include <doctest/doctest.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include "support/child_process.h"

namespace patchbay::test {

class OwnNetwork {
 public:
  // Whether this is the repetition; if so, brings the loopback interface up.
  static bool is_inside() {
    if (std::getenv(kInside) == nullptr) return false;
    REQUIRE(open_loopback());
    return true;
  }

  // `test`: the name of the test as a filter, without a comma.
  static void repeat(const std::string& test, const std::string& dns_ip) {
    const OwnNetwork network(dns_ip);
    if (network.run("true") != 0) {
      MESSAGE("skipped: no namespaces here");
      return;
    }
    const int code = network.run(std::string("exec env ") + kInside + "=1 \"$2\" \"-tc=" + test + "\"");
    const std::string output = read_text(network.folder_.file("output"));
    CAPTURE(output);
    CHECK(code == 0);
  }

 private:
  static constexpr char kInside[] = "PATCHBAY_TEST_OWN_NETWORK";

  explicit OwnNetwork(const std::string& dns_ip) {
    std::ofstream(folder_.file("resolv.conf")) << "nameserver " << dns_ip << "\n";
  }
  static bool open_loopback() {
    const int fd = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    ifreq request{};
    std::strcpy(request.ifr_name, "lo");
    request.ifr_flags = IFF_UP | IFF_RUNNING;
    const bool done = ::ioctl(fd, SIOCSIFFLAGS, &request) == 0;
    ::close(fd);
    return done;
  }
  int run(const std::string& command) const {
    const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
    auto child = Child::spawn(
        {"unshare", "--map-root-user", "--net", "--mount", "sh", "-c",
         "mount --bind \"$1\" /etc/resolv.conf && " + command, "sh", folder_.file("resolv.conf"), self},
        folder_.path(), folder_.file("output"));
    if (!child) return -1;
    return child->wait(std::chrono::seconds(100)).value_or(-1);
  }

  TempFolder folder_;
};

}  // namespace patchbay::test
