// Streams: admits and keeps the WebSockets and event streams of plugins' routes. On the main strand.
#pragma once

#include <patchbay/log.h>
#include <patchbay/services/http.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "http/exchange.h"
#include "stream_session.h"

namespace patchbay::rest_api {

class Streams {
 public:
  explicit Streams(const Host& host);

  static bool is_stream(const http::Route& route) {
    return route.kind == "websocket" || route.kind == "events";
  }
  // Counts a stream of an address and a tenant until it is destroyed.
  class Place;
  // The keys under which a stream is counted, and how many there may be of each.
  struct WantedPlace {
    std::string address, tenant;
    int64_t max_of_address = 0, max_of_tenant = 0;
  };
  // A request whose handler may open a stream.
  struct Opening {
    bool web_socket = false;
    bool message_errors = false;  // of the route
    std::string subprotocol;
    WantedPlace wanted;
    std::shared_ptr<Place> place;  // of a WebSocket from the request on, of events from the response on
    std::unique_ptr<StreamSession> session;
    explicit operator bool() const noexcept { return session != nullptr; }
  };
  // Checks handshake, origin and the limits of the route; sets `connection` and `subprotocol` of `request`. A
  // response refuses it.
  std::optional<Response> begin(const Exchange& exchange, const http::Route& route, http::Request& request,
                                Opening& opening);
  // Returns the response that opens the stream, and keeps it until it ends; beyond the limits of the route, a
  // response that refuses the stream. Error: the handler's headers are not valid, or its listener does
  // not exist.
  Result<Response> open(Opening opening, const http::Response& answer, const Exchange& exchange);

 private:
  struct Counts;
  // A response refuses the stream, because there are too many.
  std::optional<Response> take_place(Opening& opening) const;

  const Host* host_;
  const std::shared_ptr<Counts> counts_;  // shared with the places
  std::map<uint64_t, Opening> open_;
  uint64_t last_ = 0;
  Metric open_web_sockets_;
  Metric open_event_streams_;
};

}  // namespace patchbay::rest_api
