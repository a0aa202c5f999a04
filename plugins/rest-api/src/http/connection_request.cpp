// The part of Connection that reads requests.
#include <patchbay/text.h>

#include <algorithm>

#include "authority.h"
#include "connection.h"
#include "request_id.h"

namespace patchbay::rest_api {
namespace {

// A short body that no handler needs is read and dropped, so that the connection can be kept.
constexpr uint64_t kMaxDiscarded = 16 * 1024;

// The value that the nearest proxy wrote. Proxies append, so earlier values may come from the client.
std::optional<std::string_view> last_value(const Head& head, std::string_view name) {
  std::optional<std::string_view> last;
  for (const auto& field : head.fields)
    if (field.name == name) last = field.value;
  if (!last) return last;
  last->remove_prefix(last->rfind(',') + 1);  // npos + 1 is 0
  while (!last->empty() && (last->front() == ' ' || last->front() == '\t')) last->remove_prefix(1);
  return last;
}

}  // namespace

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
  const auto state = scan_.scan(bytes);
  const auto size = state == HeadReader::State::done ? scan_.length() : bytes.size();
  if (size > host_.limits().max_head ||
      (state == HeadReader::State::more && size == host_.limits().max_head)) {
    fail(431, "the head of the request is too large");
    return false;
  }
  if (state == HeadReader::State::bad) {
    fail(400, "the head of the request is malformed");
    return false;
  }
  if (state == HeadReader::State::more) return false;
  begin_ += size;
  scan_.reset();
  skipped_blank_ = head_started_ = false;

  incoming_ = Incoming{std::make_shared<Exchange>(std::string(bytes.substr(0, size))), {}, false};
  Head head;
  auto& text = incoming_.exchange->head();
  if (const auto bad = parse_head(text.data(), text.size(), {host_.limits().max_fields}, head)) {
    fail(bad->status, bad->text);
    return false;
  }
  accept_head(head);
  return true;
}

void Connection::accept_head(const Head& head) {
  incoming_.close = !head.keep_alive || draining_;
  incoming_.max_body = host_.limits().max_body;
  identify(head);
  route(head);
  auto& refusal = incoming_.exchange->refusal;
  if (head.content_length.value_or(0) > incoming_.max_body)
    refusal = too_large();
  else if (head.content_coded)
    refusal = Refusal{415, "unsupported_media_type", "Content-Encoding is not supported"};
  if (incoming_.needs_bearer && incoming_.exchange->header("authorization") == nullptr)
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

void Connection::identify(const Head& head) {
  auto& exchange = *incoming_.exchange;
  exchange.method = head.method;
  exchange.method_text = head.method_text;
  exchange.path = head.path;
  exchange.headers = head.fields;
  exchange.host = head.host;
  exchange.peer = info_.peer;
  exchange.client = info_.peer;
  exchange.listener_role = info_.listener_role;
  exchange.secure = info_.tls;
  exchange.upgrade = head.upgrade_websocket;
  exchange.peer_uid = info_.peer_uid;
  const auto* id = exchange.header("x-request-id");
  exchange.request_id = id != nullptr && is_sane_request_id(*id) ? std::string(*id) : host_.new_request_id();
  if (!host_.proxies().contains(info_.peer)) return;
  std::string forwarded;
  for (const auto& [name, value] : head.fields)
    if (name == "x-forwarded-for") forwarded.append(forwarded.empty() ? "" : ",").append(value);
  exchange.client = host_.proxies().client(info_.peer, forwarded);
  if (const auto scheme = last_value(head, "x-forwarded-proto"))
    exchange.secure = equals_ignoring_case(*scheme, "https");
  if (const auto host = last_value(head, "x-forwarded-host"))
    if (auto name = parse_authority(*host)) exchange.host = std::move(*name);
}

void Connection::route(const Head& head) {
  auto& exchange = *incoming_.exchange;
  if (head.path == "*") {
    incoming_.response = Response{204, {{"Allow", "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"}}, {}};
    return;
  }
  auto query = parse_query(head.query);
  exchange.query = std::move(query.values);
  auto match =
      host_.router(info_.listener_role).resolve({head.method, head.path, &exchange.query, exchange.upgrade});
  if (match.route == nullptr) {
    if (match.allow.empty()) {
      incoming_.response = error_response(404, "not_found",
                                          match.choices.empty() ? "there is nothing at this path"
                                                                : "this path needs one of " + match.choices);
    } else if (head.method == Method::options) {
      incoming_.response = Response{204, {{"Allow", match.allow}}, {}};
    } else {
      const auto text = "this path allows " + match.allow;
      incoming_.response = match.neighbour != nullptr && match.neighbour->message_errors
                               ? message_response(405, text)
                               : error_response(405, "method_not_allowed", text);
      incoming_.response->headers.emplace_back("Allow", match.allow);
    }
    return;
  }
  exchange.route = match.route->id;
  incoming_.upgrade = match.route->upgrade;
  if (match.route->max_body > 0)
    incoming_.max_body = std::min(match.route->max_body, host_.limits().max_route_body);
  incoming_.needs_bearer = match.route->needs_bearer && info_.listener_role != kLocal;
  incoming_.streams = match.route->streams || match.route->upgrade;
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
  return incoming_.needs_bearer && !settled && (incoming_.chunked || incoming_.length > BodyBudget::kFree);
}

void Connection::begin_body() {
  const auto& limits = host_.limits();
  auto& exchange = *incoming_.exchange;
  // A request that is refused or answered already needs no body: closes instead of reading a long one, or one
  // that the client has not begun to send.
  const bool settled = incoming_.response || exchange.refusal;
  if (settled && (incoming_.chunked || incoming_.awaits_continue || incoming_.length > kMaxDiscarded)) {
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
    exchange.refusal = too_large();
    incoming_.close = true;
  }
  phase_ = Phase::ready;
  return true;
}

Refusal Connection::too_large() const {
  return {413, "payload_too_large",
          "the body is larger than " + std::to_string(incoming_.max_body) + " bytes"};
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
