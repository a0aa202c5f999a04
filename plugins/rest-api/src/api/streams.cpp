#include "streams.h"

#include <patchbay/services/http_rules.h>
#include <patchbay/text.h>

#include <string_view>
#include <utility>

#include "handler_response.h"
#include "http/authority.h"
#include "http/error_format.h"
#include "limits.h"
#include "rate/address_key.h"
#include "websocket/accept.h"

namespace patchbay::rest_api {
namespace {

int64_t or_default(int64_t value, int64_t otherwise) { return value > 0 ? value : otherwise; }

StreamLimits limits_of(const http::Route& route) {
  StreamLimits limits;
  limits.max_message = static_cast<size_t>(or_default(route.max_message_bytes, kDefaultMessageOctets));
  limits.max_unsent = static_cast<size_t>(or_default(route.max_unsent_bytes, kDefaultUnsentOctets));
  limits.idle_ms = route.idle_ms;
  limits.ping_ms = or_default(route.ping_ms, kDefaultPingMs);
  return limits;
}

// Whether the page that asks is of this host or of a listed origin. Ports of this host do not count, because
// a proxy may have another.
bool is_origin_allowed(const Exchange& exchange, const http::Route& route) {
  const auto* origin = exchange.header("origin");
  if (origin == nullptr || route.origins == "*") return true;
  if (http::has_word(route.origins, *origin)) return true;
  const size_t scheme = origin->find("://");
  if (!route.origins.empty() || scheme == std::string_view::npos) return false;
  const auto host = parse_authority(origin->substr(scheme + 3));
  return host && *host == exchange.host;
}

std::optional<Response> check_handshake(const Exchange& exchange) {
  const auto* version = exchange.header("sec-websocket-version");
  if (version == nullptr || *version != "13") {
    Response response =
        error_response(426, "upgrade_required", "this server speaks version 13 of WebSockets");
    response.headers.emplace_back("Sec-WebSocket-Version", "13");
    return response;
  }
  const auto* key = exchange.header("sec-websocket-key");
  if (key == nullptr || !lib::is_websocket_key(*key))
    return error_response(400, "invalid_request", "Sec-WebSocket-Key is 16 random bytes in base64");
  return std::nullopt;
}

// The first subprotocol of the route that the client offers.
std::string choose_subprotocol(const Exchange& exchange, const http::Route& route) {
  std::string chosen;
  http::for_each_word(route.subprotocols, [&](std::string_view wanted) {
    for (const auto& [name, value] : exchange.headers)
      if (chosen.empty() && name == "sec-websocket-protocol" && http::has_word(value, wanted))
        chosen = wanted;
  });
  return chosen;
}

}  // namespace

// By "<route> <address or tenant>".
struct Streams::Counts {
  std::map<std::string, int64_t> of;
  int64_t operator[](const std::string& key) const {
    const auto found = of.find(key);
    return found == of.end() ? 0 : found->second;
  }
};

class Streams::Place {
 public:
  Place(std::shared_ptr<Counts> counts, std::string address, std::string tenant)
      : counts_(std::move(counts)), address_(std::move(address)), tenant_(std::move(tenant)) {
    ++counts_->of[address_];
    ++counts_->of[tenant_];
  }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;
  ~Place() {
    drop(address_);
    drop(tenant_);
  }

 private:
  void drop(const std::string& key) const {
    if (const auto found = counts_->of.find(key); --found->second == 0) counts_->of.erase(found);
  }
  const std::shared_ptr<Counts> counts_;
  const std::string address_, tenant_;
};

Streams::Streams(const Host& host)
    : host_(&host),
      counts_(std::make_shared<Counts>()),
      open_web_sockets_(
          Metric::gauge(host, "patchbay_rest_api_streams", "Streams that are open", {{"kind", "websocket"}})),
      open_event_streams_(
          Metric::gauge(host, "patchbay_rest_api_streams", "Streams that are open", {{"kind", "events"}})) {}

std::optional<Response> Streams::begin(const Exchange& exchange, const http::Route& route,
                                       http::Request& request, Opening& opening) {
  if (!is_origin_allowed(exchange, route))
    return error_response(403, "forbidden_origin", "pages of this origin may not open this stream");
  const bool web_socket = route.kind == "websocket";
  if (web_socket)
    if (auto refusal = check_handshake(exchange)) return refusal;
  const std::string name = route.path + route.kind;
  const bool local = exchange.listener_role == kLocal;
  opening.wanted = {name + " address " + lib::address_key(exchange.client),
                    name + " tenant " + request.tenant,
                    local ? INT64_MAX : or_default(route.max_per_address, kDefaultStreamsPerAddress),
                    or_default(route.max_per_tenant, kDefaultStreamsPerTenant)};
  opening.message_errors = route.message_errors;
  opening.web_socket = web_socket;
  // A handler of events may answer without a stream, and then needs no place.
  if (web_socket)
    if (auto refusal = take_place(opening)) return refusal;
  opening.session = std::make_unique<StreamSession>(*host_, route.kind, limits_of(route), exchange);
  request.connection = opening.session->connection();
  if (web_socket) request.subprotocol = opening.subprotocol = choose_subprotocol(exchange, route);
  return std::nullopt;
}

std::optional<Response> Streams::take_place(Opening& opening) const {
  const WantedPlace& wanted = opening.wanted;
  if ((*counts_)[wanted.address] >= wanted.max_of_address)
    return refusal_response({429, "rate_limited", "this address has too many open streams"},
                            opening.message_errors);
  if ((*counts_)[wanted.tenant] >= wanted.max_of_tenant)
    return refusal_response({503, "unavailable", "this tenant has too many open streams"},
                            opening.message_errors);
  opening.place = std::make_shared<Place>(counts_, wanted.address, wanted.tenant);
  return std::nullopt;
}

Result<Response> Streams::open(Opening opening, const http::Response& answer, const Exchange& exchange) {
  const uint64_t id = ++last_;
  const bool web_socket = opening.web_socket;
  if (!web_socket)
    if (auto refusal = take_place(opening)) return *std::move(refusal);
  const Metric& open_streams = web_socket ? open_web_sockets_ : open_event_streams_;
  http::Response head;
  head.headers = answer.headers;
  PB_TRY_VALUE(Response response, server_response(std::move(head)));
  if (!opening.session->open(answer.listener, [this, id, &open_streams] {
        open_streams.add(-1);
        open_.erase(id);
      }))
    return Error{Code::gone, "the listener of the stream does not exist"};
  open_streams.add(1);
  if (web_socket) {
    response.status = 101;
    response.headers.emplace_back("Sec-WebSocket-Accept",
                                  lib::websocket_accept(*exchange.header("sec-websocket-key")));
    if (!opening.subprotocol.empty())
      response.headers.emplace_back("Sec-WebSocket-Protocol", opening.subprotocol);
  } else {
    response.headers.emplace_back("Content-Type", "text/event-stream");
    response.headers.emplace_back("X-Accel-Buffering", "no");  // a proxy passes each event on at once
    response.chunked = !exchange.http_1_0;
  }
  if (exchange.method == Method::head)
    opening.session->end_unopened();
  else
    response.stream = close_with_owner(opening.session->stream());
  open_.emplace(id, std::move(opening));
  return response;
}

}  // namespace patchbay::rest_api
