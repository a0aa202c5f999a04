// HttpServer: owns every socket of the plugin and speaks HTTP/1.1. Passes well-formed requests that have a
// route to the handlers as an Exchange; answers all others itself.
//
// Threads: `threads` server threads, each with its own connections and its own Router. They call the
// handlers, which must not block and may answer later, from any thread. If one blocks all the same, only its
// request suffers, because another thread takes the connections over (server_thread.h). All functions are
// [any thread] unless noted.
#pragma once

#include <patchbay/result.h>

#include <array>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "exchange.h"
#include "limits.h"
#include "route_table.h"
#include "tls.h"

namespace patchbay::rest_api {

struct ListenerConfig {
  ListenerRole role = kPublic;
  std::string address = "127.0.0.1";  // numeric IPv4 or IPv6; unused with unix_path
  uint16_t port = 0;                  // 0: any free one, see HttpServer::port()
  std::string unix_path;              // mode 0600; a stale socket there is replaced
  std::optional<TlsFiles> tls;
};

struct ServerConfig {
  unsigned threads = 2;
  std::vector<ListenerConfig> listeners;
  std::vector<std::string> trusted_proxies;  // see TrustedProxies::parse
  // Strict-Transport-Security of responses over TLS; 0: none.
  uint32_t hsts_sec = 0;
  ServerLimits limits;
};

// Called on a server thread; exceptions are caught and become 500. See Exchange::may_run_here. A call that
// blocks may outlive the server; what it uses must, too.
struct ServerHandlers {
  std::function<void(std::shared_ptr<Exchange>)> on_request;
  // A request that the server refuses with `exchange->refusal` (401 without credentials, 413, 415, 400, 503);
  // it has no usable body. Answer 401 or 403 if that comes first, else call refuse(). Empty: the server does.
  std::function<void(std::shared_ptr<Exchange>)> on_refused;
  // A request that needs a bearer and has a body that BodyBudget counts, before the body is read, so that
  // unauthenticated clients get no memory. The handler owns the exchange until it calls `proceed`, once, from
  // any thread; if it has set `refusal`, the body is not read. One of the two handlers above follows. Empty:
  // bodies are read unchecked.
  std::function<void(std::shared_ptr<Exchange>, std::function<void()> proceed)> on_head = {};
};

struct ServerStats {
  uint64_t accepted = 0;
  uint64_t open = 0;                  // of all roles
  std::array<uint64_t, 3> open_by{};  // public, management, local
  uint64_t requests = 0;              // that reached a handler
  uint64_t refused = 0;               // malformed, too large, too slow
  // Connections closed to make room: idle ones, those with slow bodies, those with slow readers. New
  // connections closed: their address has too many, or the server has.
  uint64_t shed = 0;
  uint64_t shed_slow = 0;
  uint64_t shed_readers = 0;
  uint64_t over_address = 0;
  uint64_t over_capacity = 0;
  uint64_t body_refused = 0;      // requests refused because the body budget was used up
  uint64_t body_dropped = 0;      // slow bodies dropped for others
  uint64_t body_bytes = 0;        // held now
  uint64_t blocked_calls = 0;     // of handlers, which lost their thread's connections to another thread
  uint64_t response_refused = 0;  // large responses replaced by 503, because too many wait for their readers
  uint64_t response_bytes = 0;    // of large responses, held now
};

class HttpServer {
 public:
  // Listens when it returns. The error names the listener, file or route.
  static Result<std::unique_ptr<HttpServer>> start(ServerConfig config, const RouteTable& routes,
                                                   ServerHandlers handlers);
  // Calls stop(0).
  ~HttpServer();

  // Replaces all routes; each thread switches between two requests.
  Status set_routes(const RouteTable& routes);
  // Reloads certificates and keys. On error the old ones stay in use.
  Status reload_tls();
  // Recreates Unix sockets whose files were removed. False: there were none. Error: one could not be
  // recreated, so clients cannot reach it.
  Result<bool> recreate_sockets();
  // The bound port of listener `index` of the configuration; 0 for a Unix socket.
  uint16_t port(size_t index) const noexcept;
  ServerStats stats() const noexcept;

  // Closes the listeners and idle connections, waits at most `drain` for requests in flight, then closes the
  // rest. Waits for a handler at most kMaxHandlerCallMs. Blocks; not on a server thread. Exchanges may
  // outlive the server; their responses are dropped.
  void stop(std::chrono::milliseconds drain) noexcept;

 private:
  struct Impl;
  explicit HttpServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace patchbay::rest_api
