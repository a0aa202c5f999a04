#include "stack/tcp_watch.h"

#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace patchbay::sip_trunk {
namespace {

constexpr int kSweepsHalfClosed = 2;  // gives sofia-sip time to close it

int option(int fd, int name) {
  int value = 0;
  socklen_t size = sizeof(value);
  return ::getsockopt(fd, SOL_SOCKET, name, &value, &size) == 0 ? value : -1;
}

lib::SocketAddress name_of(int fd, int (*get)(int, sockaddr*, socklen_t*)) {
  sockaddr_storage storage{};
  socklen_t size = sizeof(storage);
  if (get(fd, reinterpret_cast<sockaddr*>(&storage), &size) != 0) return {};
  return lib::SocketAddress::from(storage);
}

struct Accepted {
  int fd;
  uint32_t silent_ms;
};

}  // namespace

OwnSockets::OwnSockets() : folder_(::opendir("/proc/self/fd")) {}

OwnSockets::~OwnSockets() {
  if (folder_ != nullptr) ::closedir(folder_);
}

std::vector<OwnSocket> OwnSockets::list() const {
  std::vector<OwnSocket> found;
  if (folder_ == nullptr) return found;
  ::rewinddir(folder_);
  while (const dirent* entry = ::readdir(folder_)) {
    char* end = nullptr;
    const long number = std::strtol(entry->d_name, &end, 10);
    if (end == entry->d_name || *end != '\0') continue;
    OwnSocket socket;
    socket.fd = static_cast<int>(number);
    const int type = option(socket.fd, SO_TYPE);
    if (type != SOCK_STREAM && type != SOCK_DGRAM) continue;
    socket.local = name_of(socket.fd, ::getsockname);
    if (!socket.local.valid()) continue;  // of another family
    socket.is_stream = type == SOCK_STREAM;
    socket.is_listening = socket.is_stream && option(socket.fd, SO_ACCEPTCONN) == 1;
    socket.remote = name_of(socket.fd, ::getpeername);
    found.push_back(socket);
  }
  return found;
}

TcpWatch::Shut TcpWatch::sweep(const std::vector<lib::SocketAddress>& peers,
                               const std::vector<lib::SocketAddress>& in_use) {
  Shut shut;
  std::vector<Accepted> accepted;
  std::map<int, int> half_closed;
  for (const OwnSocket& socket : sockets_.list()) {
    if (!socket.is_stream || socket.is_listening) continue;
    const bool is_accepted = std::find(ports_.begin(), ports_.end(), socket.local.port()) != ports_.end();
    const bool is_ours = is_accepted || std::find(peers.begin(), peers.end(), socket.remote) != peers.end();
    tcp_info info{};
    socklen_t size = sizeof(info);
    if (!is_ours || ::getsockopt(socket.fd, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) continue;
    (void)::setsockopt(socket.fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &limits_.unacknowledged_ms,
                       sizeof(limits_.unacknowledged_ms));
    if (info.tcpi_state == TCP_CLOSE_WAIT) {
      const auto before = half_closed_.find(socket.fd);
      const int seen = before == half_closed_.end() ? 1 : before->second + 1;
      half_closed[socket.fd] = seen;
      if (seen >= kSweepsHalfClosed && ::shutdown(socket.fd, SHUT_RDWR) == 0) ++shut.peer_closed;
    } else if (is_accepted && info.tcpi_state == TCP_ESTABLISHED &&
               std::find(in_use.begin(), in_use.end(), socket.remote) == in_use.end()) {
      accepted.push_back({socket.fd, info.tcpi_last_data_recv});
    }
  }
  half_closed_ = std::move(half_closed);
  std::sort(accepted.begin(), accepted.end(),
            [](const Accepted& a, const Accepted& b) { return a.silent_ms < b.silent_ms; });
  for (size_t i = 0; i < accepted.size(); ++i) {
    const bool is_idle = accepted[i].silent_ms >= limits_.idle_ms;
    if (!is_idle && i < limits_.max_accepted) continue;
    if (::shutdown(accepted[i].fd, SHUT_RDWR) == 0) ++(is_idle ? shut.idle : shut.excess);
  }
  return shut;
}

}  // namespace patchbay::sip_trunk
