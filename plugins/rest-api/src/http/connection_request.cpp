// The part of Connection that reads requests.
#include <algorithm>

#include "connection.h"
#include "error_format.h"
#include "request_id.h"

namespace patchbay::rest_api {

bool Connection::read_head() {
  auto bytes = unread();
  if (!skipped_blank_ && bytes.substr(0, 2) == "\r\n") {  // RFC 9112 2.2: ignore one empty line
    begin_ += 2;
    skipped_blank_ = true;
    bytes = unread();
  }
  if (bytes.empty()) return false;
  if (!head_started_) deadline_ = host_.now() + std::chrono::milliseconds(host_.limits().head_ms);
  head_started_ = true;
  if (!skipped_blank_ && bytes == "\r") return false;
  const auto state = head_.read(bytes);
  if (state == HeadReader::State::more) return false;
  if (state != HeadReader::State::done) {
    const auto error = HeadReader::error_of(state);
    fail(error.status, error.text);
    return false;
  }
  const auto size = head_.length();
  begin_ += size;
  head_.reset();
  skipped_blank_ = head_started_ = false;

  incoming_ = Incoming{std::make_shared<Exchange>(std::string(bytes.substr(0, size))), {}, false};
  Head head;
  auto& text = incoming_.exchange->head();
  if (const auto bad = parse_head(text.data(), text.size(), host_.limits().max_fields, head)) {
    fail(bad->status, bad->text);
    return false;
  }
  accept_head(head);
  return true;
}

void Connection::accept_head(Head& head) {
  incoming_.close = !head.keep_alive || draining_;
  incoming_.max_body = host_.limits().max_body;
  identify(head);
  route(head);
  auto& refusal = incoming_.exchange->refusal;
  if (head.content_length.value_or(0) > incoming_.max_body)
    refusal = body_too_large(incoming_.max_body);
  else if (head.content_coded)
    refusal = Refusal{415, "unsupported_media_type", "Content-Encoding is not supported"};
  // A browser can send a bearer for a WebSocket among the subprotocols only.
  const bool has_subprotocols = incoming_.upgrade && incoming_.exchange->header("sec-websocket-protocol");
  if (incoming_.needs_bearer && incoming_.exchange->header("authorization") == nullptr && !has_subprotocols)
    refusal = Refusal{401, "invalid_token", "this needs the header Authorization: Bearer <token>"};
  incoming_.chunked = head.chunked;
  incoming_.length = head.content_length.value_or(0);
  incoming_.awaits_continue = head.expects_continue;
  if (!head.chunked && incoming_.length == 0) {
    phase_ = Phase::ready;
    return;
  }
  if (authorizes_before_body()) {
    phase_ = Phase::authorizing;
    deadline_ = host_.now() + std::chrono::milliseconds(host_.limits().answer_ms);
    if (host_.authorize_head(info_.id, incoming_.exchange)) return;
  }
  begin_body();
}

void Connection::identify(Head& head) {
  auto& exchange = *incoming_.exchange;
  exchange.method = head.method;
  exchange.method_text = head.method_text;
  exchange.path = head.path;
  exchange.headers = std::move(head.fields);
  exchange.host = std::move(head.host);
  exchange.peer = info_.peer;
  exchange.client = info_.peer;
  exchange.listener_role = info_.listener_role;
  exchange.secure = info_.tls;
  exchange.upgrade = head.upgrade_websocket;
  exchange.http_1_0 = head.http_1_0;
  exchange.peer_uid = info_.peer_uid;
  const auto* id = exchange.header("x-request-id");
  exchange.request_id = id != nullptr && is_sane_request_id(*id) ? std::string(*id) : host_.new_request_id();
  host_.proxies().apply_forwarded(exchange);
}

void Connection::route(const Head& head) {
  if (head.path.size() > kMaxPath) {
    host_.count_refused();
    incoming_.response = error_response(414, "uri_too_long", "a path has at most 2048 characters");
    return;
  }
  auto& exchange = *incoming_.exchange;
  auto query = parse_query(head.query);
  exchange.query = std::move(query.values);
  auto match =
      host_.router(info_.listener_role).resolve({head.method, head.path, &exchange.query, exchange.upgrade});
  if (match.route == nullptr) {
    incoming_.response = unrouted_response(head.method, match);
    return;
  }
  exchange.route = match.route->id;
  incoming_.upgrade = match.route->upgrade;
  if (match.route->max_body > 0)
    incoming_.max_body = std::min(match.route->max_body, host_.limits().max_route_body);
  incoming_.needs_bearer = match.route->needs_bearer && info_.listener_role != kLocal;
  incoming_.streams = match.route->streams || match.route->upgrade;
  if (const std::string name(match.missing); !name.empty())
    exchange.refusal =
        Refusal{400, "invalid_request", "the query parameter " + name + " is required: ?" + name + "=..."};
  if (query.error) exchange.refusal = Refusal{400, "invalid_request", query.error->text};
  for (auto& [name, raw] : match.params) {
    auto value = decode_segment(raw);
    if (!value)
      exchange.refusal = Refusal{400, "invalid_request", std::string(name) + ": " + value.error().text};
    else
      exchange.params.emplace_back(name, std::move(*value));
  }
}

// Whether the bearer is checked before the body is read, because unauthenticated clients could fill the
// memory with such bodies.
bool Connection::authorizes_before_body() const noexcept {
  const bool settled = incoming_.response || incoming_.exchange->refusal;
  return incoming_.needs_bearer && !settled && (incoming_.chunked || incoming_.length > kFreeBodyOctets);
}

void Connection::begin_body() {
  const auto& limits = host_.limits();
  auto& exchange = *incoming_.exchange;
  // A request that is refused or answered already needs no body: closes instead of reading a long one, or one
  // that the client has not begun to send.
  const bool settled = incoming_.response || exchange.refusal;
  if (settled && (incoming_.chunked || incoming_.awaits_continue || incoming_.length > kMaxDiscardedBody)) {
    incoming_.close = true;
    phase_ = Phase::ready;
    return;
  }
  if (incoming_.chunked)
    body_.begin_chunked(incoming_.max_body);
  else
    body_.begin_length(incoming_.length);
  if (settled) body_.discard();
  const auto now = host_.now();
  exchange.body_share =
      BodyBudget::Share(host_.bodies(), exchange.client, now,
                        [port = host_.reply_port(), id = info_.id] { port->drop_body(id); });
  phase_ = Phase::body;
  body_lag_ = {};
  body_lag_.begin(now);
  deadline_ = now + std::chrono::milliseconds(limits.body_ms);
  if (!incoming_.awaits_continue || !unread().empty()) return;
  push_slot().interim = true;
  slots_.back().response.emplace();
}

void Connection::proceed() {
  if (phase_ != Phase::authorizing) return;
  begin_body();
  advance();
}

bool Connection::read_body() {
  if (unread().empty()) return false;
  size_t used = 0;
  auto& exchange = *incoming_.exchange;
  const auto state = body_.feed(unread(), exchange.body, used);
  begin_ += used;
  const auto now = host_.now();
  body_lag_.take(used, now);
  // A chunked body grows by doubling, so its capacity counts.
  const size_t costs = body_.is_chunked() ? exchange.body.capacity() : exchange.body.size();
  const bool taken = exchange.body_share.grow_to(costs, body_lag_, now) &&
                     (state == BodyReader::State::more || exchange.body_share.complete());
  if (!taken) {
    refuse_body();
    return true;
  }
  if (state == BodyReader::State::more) return false;
  if (state == BodyReader::State::bad) {
    fail(400, "the body's chunked coding is malformed");
    return false;
  }
  if (state == BodyReader::State::too_large) {
    exchange.body = {};
    exchange.body_share = {};
    exchange.refusal = body_too_large(incoming_.max_body);
    incoming_.close = true;
  }
  phase_ = Phase::ready;
  return true;
}

// Answers 503 without reading the rest of the body.
void Connection::refuse_body() {
  host_.count_body_refused();
  auto& exchange = *incoming_.exchange;
  exchange.body = {};
  exchange.body_share = {};
  exchange.refusal =
      Refusal{503, "unavailable", "too many request bodies are being received; try again later"};
  incoming_.close = true;
  phase_ = Phase::ready;
}

}  // namespace patchbay::rest_api
