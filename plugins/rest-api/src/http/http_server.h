// The edge: owns every socket of the plugin and speaks HTTP/1.1 to whoever comes. Well-formed requests that a
// route serves go to the handler as an Exchange; everything else is answered here.
//
// Threads: `threads` edge threads, each with its own sockets and its own Router. Handlers are called on them
// and must not block; they answer from any thread, at any time. Everything below is [any thread] except where
// it says more.
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
#include "route_table.h"
#include "server_limits.h"
#include "tls.h"

namespace patchbay::rest_api {

struct ListenerConfig {
  Surface surface = kPublic;
  std::string address = "127.0.0.1";  // numeric IPv4 or IPv6; unused with unix_path
  uint16_t port = 0;                  // 0: any free one, see Edge::port
  std::string unix_path;              // mode 0600; a stale socket there is replaced
  std::optional<TlsFiles> tls;
};

struct EdgeConfig {
  unsigned threads = 2;
  std::vector<ListenerConfig> listeners;
  std::vector<std::string> trusted_proxies;  // see TrustedProxies::parse
  // Strict-Transport-Security on answers over TLS; 0: none.
  uint32_t hsts_sec = 0;
  EdgeLimits limits;
};

// Called on an edge thread; exceptions are caught and become 500.
struct EdgeHandlers {
  std::function<void(std::shared_ptr<Exchange>)> on_request;
  // A request that will end in `exchange->refusal` (401 without credentials, 413, 415, 400, 503) and has no
  // usable body. The handler answers 401 or 403 if that comes first, else calls refuse(). When empty, the
  // edge refuses.
  std::function<void(std::shared_ptr<Exchange>)> on_refused;
  // A request that needs a bearer, before its body is read, when that is one that BodyBudget counts: memory
  // is not spent on strangers. The exchange is the handler's until it calls `proceed`, from any thread, once;
  // when it has set `refusal` by then, the body is not read. Either way the request comes to one of the two
  // above. When empty, bodies are read unseen.
  std::function<void(std::shared_ptr<Exchange>, std::function<void()> proceed)> on_head = {};
};

struct EdgeStats {
  uint64_t accepted = 0;
  uint64_t open = 0;                  // of all surfaces
  std::array<uint64_t, 3> open_by{};  // public, management, local
  uint64_t requests = 0;              // that reached a handler
  uint64_t refused = 0;               // framing errors, too large, too slow
  // Connections closed: idle ones and those with slow bodies or slow readers to make room, new ones because
  // their address has too many or because there was no room.
  uint64_t shed = 0;
  uint64_t shed_slow = 0;
  uint64_t shed_readers = 0;
  uint64_t over_address = 0;
  uint64_t over_places = 0;
  uint64_t body_refused = 0;  // requests refused because too many bodies were held
  uint64_t body_dropped = 0;  // slow bodies given up for others
  uint64_t body_bytes = 0;    // held now
};

class Edge {
 public:
  // Listens when it returns. Errors name the listener, file or route.
  static Result<std::unique_ptr<Edge>> start(EdgeConfig config, const RouteTable& routes,
                                             EdgeHandlers handlers);
  // stop(0).
  ~Edge();

  // Replaces all routes; each thread changes over between two requests.
  Status set_routes(const RouteTable& routes);
  // Reads certificates and keys again. On error the old ones stay.
  Status reload_tls();
  // Makes Unix sockets again whose files somebody has removed. True: there were such. Error: one could not be
  // made, and is not reached.
  Result<bool> mend_sockets();
  // The port of listener `index` of the configuration; 0 for a Unix socket.
  uint16_t port(size_t index) const noexcept;
  EdgeStats stats() const noexcept;

  // Closes the listeners and idle connections, lets requests in flight end for at most `drain`, then closes
  // the rest. Blocks; not from an edge thread. Exchanges may outlive it, their answers are dropped.
  void stop(std::chrono::milliseconds drain) noexcept;

 private:
  struct Impl;
  explicit Edge(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace patchbay::rest_api
