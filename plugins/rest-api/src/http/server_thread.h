// One thread of the edge: its loop, its connections, its routers. Includes no Asio; see server_thread.cpp.
#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <string>

#include "address_counts.h"
#include "connection.h"
#include "http_server.h"

namespace boost::asio {
class io_context;
}

namespace patchbay::rest_api {

// One Router for each surface.
using RouterSet = std::array<std::unique_ptr<Router>, 3>;
Result<RouterSet> make_routers(const RouteTable& table);

// What all threads of one edge share. Outlives them.
struct EdgeShared {
  EdgeLimits limits;
  TrustedProxies proxies;
  EdgeHandlers handlers;
  unsigned threads = 1;
  uint32_t hsts_sec = 0;
  // Shared with the exchanges, which may live longer.
  std::shared_ptr<BodyBudget> bodies;
  AddressCounts addresses;
  std::atomic<uint64_t> next_connection{1};
  std::atomic<uint64_t> accepted{0};
  std::atomic<uint64_t> open{0};
  std::atomic<uint64_t> requests{0};
  std::atomic<uint64_t> refused{0};
  std::atomic<uint64_t> shed{0};
  std::atomic<uint64_t> shed_slow{0};
  std::atomic<uint64_t> shed_readers{0};
  std::atomic<uint64_t> over_address{0};
  std::atomic<uint64_t> over_places{0};
  std::atomic<uint64_t> body_refused{0};
  std::array<std::atomic<uint64_t>, 3> open_by{};
};

// Position of a surface in arrays: public, management, local.
constexpr size_t index_of(Surface surface) noexcept {
  return surface == kPublic ? 0 : surface == kManagement ? 1 : 2;
}

class EdgeThread {
 public:
  EdgeThread(EdgeShared& shared, RouterSet routers);
  // join() must have run.
  ~EdgeThread();

  void start();
  boost::asio::io_context& loop() noexcept;

  // [any thread] All of these take effect on the thread.
  void adopt(int fd, Connection::Facts facts, std::shared_ptr<TlsContext> tls);
  void set_routers(RouterSet routers);
  // Closes a public connection that loses nothing by it, if there is one.
  void shed_one();
  void post(std::function<void()> work);
  void drain();
  // Closes every connection and ends the loop once what it had to do is done.
  void finish();
  void join();

  size_t connections() const noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace patchbay::rest_api
