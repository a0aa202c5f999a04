#include "support/free_ports.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>
#include <random>
#include <string>

#include "support/child_process.h"

namespace patchbay::test {
namespace {

// Below 32768, where net.ipv4.ip_local_port_range begins.
constexpr uint16_t kFirst = 10'000;
constexpr uint16_t kLast = 32'000;

bool can_bind(int type, uint16_t port) {
  const int fd = ::socket(AF_INET, type | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const bool bound = ::bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  ::close(fd);
  return bound;
}

// A line has "local_address rem_address st", the port in hexadecimal.
bool has_socket(const char* table, uint16_t port, const char* state) {
  char wanted[32];
  std::snprintf(wanted, sizeof wanted, ":%04X 00000000:0000 %s", port, state);
  return read_text(table).find(wanted) != std::string::npos;
}

}  // namespace

uint16_t free_port() {
  static std::mt19937 random(std::random_device{}());
  std::uniform_int_distribution<uint16_t> in_range(kFirst, kLast);
  for (int i = 0; i < 100; ++i) {
    const uint16_t port = in_range(random);
    if (!is_bound_on_udp(port) && can_bind(SOCK_DGRAM, port) && can_bind(SOCK_STREAM, port)) return port;
  }
  return 0;
}

bool is_bound_on_udp(uint16_t port) { return has_socket("/proc/net/udp", port, "07"); }

bool is_listening_on_tcp(uint16_t port) { return has_socket("/proc/net/tcp", port, "0A"); }

}  // namespace patchbay::test
