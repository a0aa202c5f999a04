// One thread of HttpServer: its event loop, its connections, its routers.
//
// The thread calls handlers, and runs what they run on it, between two events of the loop. If a call lasts
// longer than kMaxHandlerCallMs, another thread takes the loop over (LoopOwner), and the blocked one exits
// when the call returns. Until then handlers must not run their work on the loop's thread
// (Exchange::may_run_here), so that at most one of its threads is blocked.
#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <string>

#include "connection.h"
#include "connections_per_address.h"
#include "handler_watch.h"
#include "http_server.h"

namespace boost::asio {
class io_context;
}

namespace patchbay::rest_api {

// One Router for each ListenerRole.
using RouterSet = std::array<std::unique_ptr<Router>, 3>;
Result<RouterSet> make_routers(const RouteTable& table);

// What all threads of one server share. Owned by the server and by its threads, because a thread that
// is blocked in a handler may outlive the server.
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
  std::atomic<uint64_t> blocked_calls{0};
  std::array<std::atomic<uint64_t>, 3> open_by{};
  HandlerWatch* watch = nullptr;  // the server's
};

// The index of a role in arrays: public, management, local.
constexpr size_t index_of(ListenerRole role) noexcept {
  return role == kPublic ? 0 : role == kManagement ? 1 : 2;
}

class ServerThread {
 public:
  ServerThread(std::shared_ptr<ServerShared> shared, RouterSet routers);
  // join() must have run, if it was started.
  ~ServerThread();

  void start();
  boost::asio::io_context& loop() noexcept;
  // [HandlerWatch] Lets another thread take the loop over if the running handler call has blocked for too
  // long.
  void check(Clock::time_point now);

  // [any thread] These take effect on the thread.
  void adopt(int fd, Connection::Info info, std::shared_ptr<TlsContext> tls);
  void set_routers(RouterSet routers);
  // Closes an idle or slow public connection, if there is one.
  void shed_one();
  void post(std::function<void()> work);
  void drain();
  // Closes every connection and ends the loop after the work posted before.
  void stop();
  // Waits for the end of the loop. The watch must be running, as a handler call may block.
  void wait_for_end();
  // Call after that, when the watch has stopped. Leaves a thread alone that is blocked in a handler: it exits
  // by itself, and does not touch the handlers then.
  void join();

  size_t connections() const noexcept;
  // Runs `work` at once if a handler called by this thread is the caller, so that it need not wait for
  // itself. False: not run.
  bool run_in_handler(const std::function<void()>& work);

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;  // shared with its threads
};

}  // namespace patchbay::rest_api
