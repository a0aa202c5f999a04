// Resolver: looks up host names on its own thread, because that may take seconds. The first look-up starts
// the thread.
#pragma once

#include <netinet/in.h>
#include <patchbay/result.h>
#include <sys/socket.h>

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
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
  // Waits for the running look-up and drops the others.
  void stop();
  // Replaces the look-up of the system, before the first request.
  void set_look_up(LookUp look_up) { look_up_ = std::move(look_up); }

 private:
  struct Request {
    std::string host;
    uint16_t port = 0;
    Done done;
    std::weak_ptr<const void> ticket;
  };
  void run();
  void answer_next(std::unique_lock<std::mutex>& lock);

  LookUp look_up_;
  std::mutex mutex_;  // guards the next two
  std::deque<Request> requests_;
  bool stopping_ = false;
  std::condition_variable wake_;
  std::thread thread_;
};

}  // namespace patchbay::lib
