// One thread of HttpServer: its event loop, its connections, its routers.
#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <string>

#include "connection.h"
#include "connections_per_address.h"
#include "http_server.h"

namespace boost::asio {
class io_context;
}

namespace patchbay::rest_api {

// One Router for each ListenerRole.
using RouterSet = std::array<std::unique_ptr<Router>, 3>;
Result<RouterSet> make_routers(const RouteTable& table);

// What all threads of one server share. Outlives them.
struct ServerShared {
  ServerLimits limits;
  TrustedProxies proxies;
  ServerHandlers handlers;
  unsigned threads = 1;
  uint32_t hsts_sec = 0;
  // Shared with the exchanges, which may outlive the server.
  std::shared_ptr<BodyBudget> bodies;
  std::shared_ptr<BodyBudget> response_bodies;
  ConnectionsPerAddress addresses;
  std::atomic<uint64_t> next_connection{1};
  std::atomic<uint64_t> accepted{0};
  std::atomic<uint64_t> open{0};
  std::atomic<uint64_t> requests{0};
  std::atomic<uint64_t> refused{0};
  std::atomic<uint64_t> shed{0};
  std::atomic<uint64_t> shed_slow{0};
  std::atomic<uint64_t> shed_readers{0};
  std::atomic<uint64_t> over_address{0};
  std::atomic<uint64_t> over_capacity{0};
  std::atomic<uint64_t> body_refused{0};
  std::atomic<uint64_t> response_refused{0};
  std::array<std::atomic<uint64_t>, 3> open_by{};
};

// The index of a role in arrays: public, management, local.
constexpr size_t index_of(ListenerRole role) noexcept {
  return role == kPublic ? 0 : role == kManagement ? 1 : 2;
}

class ServerThread {
 public:
  ServerThread(ServerShared& shared, RouterSet routers);
  // join() must have run.
  ~ServerThread();

  void start();
  boost::asio::io_context& loop() noexcept;

  // [any thread] These take effect on the thread.
  void adopt(int fd, Connection::Info info, std::shared_ptr<TlsContext> tls);
  void set_routers(RouterSet routers);
  // Closes an idle or slow public connection, if there is one.
  void shed_one();
  void post(std::function<void()> work);
  void drain();
  // Closes every connection and ends the loop after the work posted before.
  void stop();
  void join();

  size_t connections() const noexcept;
  // Whether the caller is this thread.
  bool is_current() const noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace patchbay::rest_api
