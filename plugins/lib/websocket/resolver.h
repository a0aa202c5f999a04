// Resolver: looks up host names on its own thread, because that may take tens of seconds without an answer of
// the DNS. The first look-up starts the thread.
#pragma once

#include <netinet/in.h>
#include <patchbay/result.h>
#include <sys/socket.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace patchbay::lib {

// The address and port of a TCP peer.
struct Endpoint {
  union {
    sockaddr any;
    sockaddr_in v4;
    sockaddr_in6 v6;
  } address{};
  socklen_t size = 0;

  std::string text() const;  // the address without the port
};

// Returns the endpoint of an address in text form, IPv6 without brackets; nullopt for a name.
std::optional<Endpoint> parse_endpoint(const std::string& address, uint16_t port);

class Resolver {
 public:
  using Endpoints = Result<std::vector<Endpoint>>;
  using LookUp = std::function<Endpoints(const std::string& host, uint16_t port)>;
  using Done = std::function<void(const Endpoints&)>;
  // A request that waits for its answer. Destroying it cancels the request.
  using Ticket = std::shared_ptr<const void>;

  Resolver();
  ~Resolver() { stop(); }
  Resolver(const Resolver&) = delete;
  Resolver& operator=(const Resolver&) = delete;

  // [any] Calls done() on the resolver's thread, unless stop() comes first or the ticket is destroyed.
  // Requests for the same host and port share a look-up.
  [[nodiscard]] Ticket resolve(std::string host, uint16_t port, Done done);
  // Drops all requests, and waits for a done() that runs. A running look-up is left to the thread, whose code
  // stays loaded.
  void stop();
  // Replaces the look-up of the system, before the first request.
  void set_look_up(LookUp look_up);

 private:
  struct State;
  const std::shared_ptr<State> state_;  // shared with the thread, which may outlive this object
  std::thread thread_;
};

}  // namespace patchbay::lib
