#include "listener.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cerrno>
#include <cstring>
#include <optional>

#include "asio_transport.h"
#include "descriptor_reserve.h"
#include "limits.h"

namespace patchbay::rest_api {
namespace {

namespace asio = boost::asio;
using AsioError = boost::system::error_code;

struct Endpoint {
  sockaddr_storage address{};
  socklen_t size = 0;
  std::string name;  // for messages
};

Result<Endpoint> endpoint_of(const ListenerConfig& config) {
  Endpoint end;
  if (!config.unix_path.empty()) {
    auto* unix_end = reinterpret_cast<sockaddr_un*>(&end.address);
    if (config.unix_path.size() >= sizeof unix_end->sun_path)
      return {Code::invalid, "listener " + config.unix_path + ": the path is too long"};
    unix_end->sun_family = AF_UNIX;
    std::memcpy(unix_end->sun_path, config.unix_path.c_str(), config.unix_path.size() + 1);
    end.size = sizeof(sockaddr_un);
    end.name = config.unix_path;
    return end;
  }
  end.name = config.address + ":" + std::to_string(config.port);
  auto* v4 = reinterpret_cast<sockaddr_in*>(&end.address);
  auto* v6 = reinterpret_cast<sockaddr_in6*>(&end.address);
  if (inet_pton(AF_INET, config.address.c_str(), &v4->sin_addr) == 1) {
    v4->sin_family = AF_INET;
    v4->sin_port = htons(config.port);
    end.size = sizeof *v4;
  } else if (inet_pton(AF_INET6, config.address.c_str(), &v6->sin6_addr) == 1) {
    v6->sin6_family = AF_INET6;
    v6->sin6_port = htons(config.port);
    end.size = sizeof *v6;
  } else {
    return {Code::invalid, "listener " + end.name + ": not a numeric address"};
  }
  return end;
}

// Returns whether no process listens on a Unix socket, because its creator was killed.
bool is_stale(const Endpoint& end) {
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const bool answered = ::connect(fd, reinterpret_cast<const sockaddr*>(&end.address), end.size) == 0;
  const bool stale = !answered && errno == ECONNREFUSED;
  ::close(fd);
  return stale;
}

Result<int> open_socket(const Endpoint& end) {
  const int family = end.address.ss_family;
  const auto fail = [&](const char* what, int fd) {
    auto error = Error{Code::unavailable, "listener " + end.name + ": " + what + ": " + std::strerror(errno)};
    if (fd >= 0) ::close(fd);
    return error;
  };
  const int fd = ::socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return fail("socket", fd);
  const int on = 1;
  if (family == AF_UNIX) {
    if (is_stale(end)) ::unlink(end.name.c_str());
  } else {
    ::setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  }
  if (::bind(fd, reinterpret_cast<const sockaddr*>(&end.address), end.size) != 0) return fail("bind", fd);
  // Before listen(), so that no client connects before the mode is set.
  if (family == AF_UNIX && ::chmod(end.name.c_str(), S_IRUSR | S_IWUSR) != 0) return fail("chmod", fd);
  if (::listen(fd, kListenBacklog) != 0) return fail("listen", fd);
  return fd;
}

// Identifies a file; zeroes: none.
struct FileId {
  dev_t device = 0;
  ino_t number = 0;
  bool operator==(const FileId&) const = default;
};
FileId file_at(const std::string& path) {
  struct stat found {};
  if (path.empty() || ::stat(path.c_str(), &found) != 0) return {};
  return {found.st_dev, found.st_ino};
}

std::string peer_name(const sockaddr_storage& address) {
  char text[INET6_ADDRSTRLEN] = "";
  if (address.ss_family == AF_INET) {
    inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in&>(address).sin_addr, text, sizeof text);
  } else if (address.ss_family == AF_INET6) {
    const auto& v6 = reinterpret_cast<const sockaddr_in6&>(address).sin6_addr;
    if (IN6_IS_ADDR_V4MAPPED(&v6))
      inet_ntop(AF_INET, v6.s6_addr + 12, text, sizeof text);
    else
      inet_ntop(AF_INET6, &v6, text, sizeof text);
  } else {
    return "unix";
  }
  return text;
}

// The user of a Unix socket's peer; nothing if the kernel does not report it.
std::optional<uint32_t> peer_uid(int fd) {
  ucred credentials{};
  socklen_t size = sizeof credentials;
  if (::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &credentials, &size) != 0) return {};
  return credentials.uid;
}

uint16_t local_port(int fd) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  if (::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) != 0) return 0;
  if (address.ss_family == AF_INET) return ntohs(reinterpret_cast<sockaddr_in&>(address).sin_port);
  if (address.ss_family == AF_INET6) return ntohs(reinterpret_cast<sockaddr_in6&>(address).sin6_port);
  return 0;
}

}  // namespace

struct Listener::Impl {
  Impl(asio::io_context& loop, int fd, size_t spare)
      : socket(loop, fd), timer(loop), reserve(spare), port(local_port(fd)) {}

  // Borrowed.
  const std::vector<std::unique_ptr<ServerThread>>* threads = nullptr;
  ServerShared* shared = nullptr;
  // Owned.
  asio::posix::stream_descriptor socket;
  asio::steady_timer timer;
  DescriptorReserve reserve;
  // Shared with the connections that use it.
  std::shared_ptr<TlsContext> tls;
  ListenerRole role = kPublic;
  ListenerConfig config;
  FileId file;  // of a Unix socket
  const uint16_t port;

  void wait() {
    socket.async_wait(asio::posix::stream_descriptor::wait_read, [this](const AsioError& error) {
      if (!error) accept_some();
    });
  }

  void accept_some() {
    for (int i = 0; i < kMaxAcceptsPerTurn; ++i) {
      sockaddr_storage address{};
      socklen_t size = sizeof address;
      const int fd = ::accept4(socket.native_handle(), reinterpret_cast<sockaddr*>(&address), &size,
                               SOCK_CLOEXEC | SOCK_NONBLOCK);
      if (fd >= 0) {
        pass_on(fd, address);
      } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
        break;
      } else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
        if (!reserve.release_one()) return pause();
      }  // other errors concern this client only
    }
    reserve.refill();
    wait();
  }

  // Waits, because the socket stays readable while descriptors are short and accepting would spin.
  void pause() {
    for (const auto& thread : *threads) thread->shed_one();
    timer.expires_after(std::chrono::milliseconds(kAcceptPauseMs));
    timer.async_wait([this](const AsioError& error) {
      if (!error) wait();
    });
  }

  void pass_on(int fd, const sockaddr_storage& address) {
    if (address.ss_family != AF_UNIX) {
      const int on = 1;
      ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    }
    Connection::Info info;
    info.peer = peer_name(address);
    info.listener_role = role;
    if (address.ss_family == AF_UNIX) info.peer_uid = peer_uid(fd);
    if (!is_counted(info)) {
      shared->over_address.fetch_add(1, std::memory_order_relaxed);
      ::close(fd);
      return;
    }
    const auto fewest = std::min_element(threads->begin(), threads->end(), [](const auto& a, const auto& b) {
      return a->connections() < b->connections();
    });
    shared->accepted.fetch_add(1, std::memory_order_relaxed);
    (*fewest)->adopt(fd, std::move(info), tls);
  }

  // Counts the connection. False: its address has too many. Exempts trusted proxies, which have many clients.
  bool is_counted(Connection::Info& info) const {
    if (role != kPublic || shared->proxies.contains(info.peer)) return true;
    info.counted = shared->addresses.add(info.peer, shared->limits.max_per_address);
    return info.counted;
  }
};

Listener::Listener(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Listener::~Listener() { close(); }

Result<std::unique_ptr<Listener>> Listener::open(const ListenerConfig& config,
                                                 const std::vector<std::unique_ptr<ServerThread>>& threads,
                                                 ServerShared& shared) {
  PB_TRY_VALUE(const auto end, endpoint_of(config));
  std::shared_ptr<TlsContext> tls;
  if (config.tls) {
    auto loaded = load_tls(*config.tls);
    if (!loaded) return std::move(loaded).error().within("listener " + end.name);
    tls = *std::move(loaded);
  }
  PB_TRY_VALUE(const int fd, open_socket(end));
  const size_t spare = shared.limits.spare_descriptors;
  auto impl = std::make_unique<Impl>(threads.front()->loop(), fd, config.role == kPublic ? spare : spare / 4);
  impl->threads = &threads;
  impl->shared = &shared;
  impl->tls = std::move(tls);
  impl->role = config.role;
  impl->config = config;
  impl->file = file_at(config.unix_path);
  return std::unique_ptr<Listener>(new Listener(std::move(impl)));
}

void Listener::start() { impl_->wait(); }

void Listener::close() noexcept {
  if (!impl_->socket.is_open()) return;
  const std::string& path = impl_->config.unix_path;
  if (!path.empty() && file_at(path) == impl_->file) ::unlink(path.c_str());
  AsioError ignored;
  impl_->socket.close(ignored);
  impl_->timer.cancel(ignored);
}

Result<bool> Listener::recreate() {
  const std::string& path = impl_->config.unix_path;
  if (path.empty() || !impl_->socket.is_open() || file_at(path) == impl_->file) return false;
  PB_TRY_VALUE(const auto end, endpoint_of(impl_->config));
  PB_TRY_VALUE(const int fd, open_socket(end));
  AsioError ignored;
  impl_->timer.cancel(ignored);
  impl_->socket.close(ignored);
  impl_->socket.assign(fd, ignored);
  impl_->file = file_at(path);
  impl_->wait();
  return true;
}

void Listener::set_tls(std::shared_ptr<TlsContext> tls) { impl_->tls = std::move(tls); }

uint16_t Listener::port() const noexcept { return impl_->port; }

}  // namespace patchbay::rest_api
