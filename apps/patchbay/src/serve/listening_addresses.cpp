#include "serve/listening_addresses.h"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>

namespace patchbay::app {
namespace {

std::optional<int> option_of(int fd, int name) {
  int value = 0;
  socklen_t size = sizeof value;
  return getsockopt(fd, SOL_SOCKET, name, &value, &size) == 0 ? std::optional(value) : std::nullopt;
}

template <class Address>
Address as(const sockaddr_storage& storage) {
  Address address{};
  std::memcpy(&address, &storage, sizeof address);
  return address;
}

std::string internet_address(const sockaddr_storage& storage) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  const bool six = storage.ss_family == AF_INET6;
  const auto v4 = as<sockaddr_in>(storage);
  const auto v6 = as<sockaddr_in6>(storage);
  const void* host = six ? static_cast<const void*>(&v6.sin6_addr) : &v4.sin_addr;
  const unsigned port = ntohs(six ? v6.sin6_port : v4.sin_port);
  if (port == 0 || inet_ntop(storage.ss_family, host, text.data(), text.size()) == nullptr) return {};
  return (six ? "[" + std::string(text.data()) + "]:" : std::string(text.data()) + ":") +
         std::to_string(port);
}

// "" for a descriptor that is no socket or does not listen.
std::string listening_address(int fd) {
  const auto type = option_of(fd, SO_TYPE);
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  if (!type || getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) != 0) return {};
  if (*type == SOCK_STREAM && option_of(fd, SO_ACCEPTCONN).value_or(0) == 0) return {};
  if (address.ss_family == AF_UNIX) {
    const auto path = as<sockaddr_un>(address);
    return size > offsetof(sockaddr_un, sun_path) && *type == SOCK_STREAM ? path.sun_path : "";
  }
  if (address.ss_family != AF_INET && address.ss_family != AF_INET6) return {};
  const std::string text = internet_address(address);
  return text.empty() ? text : (*type == SOCK_STREAM ? "tcp " : "udp ") + text;
}

}  // namespace

std::vector<std::string> listening_addresses() {
  std::vector<std::string> found;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd", error)) {
    std::string text = listening_address(std::atoi(entry.path().filename().c_str()));
    if (!text.empty()) found.push_back(std::move(text));
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

}  // namespace patchbay::app
