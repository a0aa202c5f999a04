// The half of Connection that turns octets into a request.
#include "authority.h"
#include "connection.h"

namespace patchbay::rest_api {

bool Connection::read_head() {
  auto bytes = unread();
  if (!skipped_blank_ && bytes.substr(0, 2) == "\r\n") {  // RFC 9112 2.2: one empty line is forgiven
    begin_ += 2;
    skipped_blank_ = true;
    bytes = unread();
  }
  if (bytes.empty()) return false;
  if (!head_started_) deadline_ = host_.now() + std::chrono::milliseconds(host_.limits().head_ms);
  head_started_ = true;
  if (!skipped_blank_ && bytes == "\r") return false;
  const auto state = scan_.scan(bytes);
  const auto size = state == HeadScan::State::done ? scan_.length() : bytes.size();
  if (size > host_.limits().max_head || (state == HeadScan::State::more && size == host_.limits().max_head)) {
    fail(431, "the head of the request is too large");
    return false;
  }
  if (state == HeadScan::State::bad) {
    fail(400, "the head of the request is malformed");
    return false;
  }
  if (state == HeadScan::State::more) return false;
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
  identify(head);
  route(head);
  auto& refusal = incoming_.exchange->refusal;
  if (head.content_length.value_or(0) > host_.limits().max_body)
    refusal = Refusal{413, "payload_too_large",
                      "the body is larger than " + std::to_string(host_.limits().max_body) + " bytes"};
  else if (head.content_coded)
    refusal = Refusal{415, "unsupported_media_type", "Content-Encoding is not supported"};
  begin_body(head);
}

void Connection::identify(const Head& head) {
  auto& exchange = *incoming_.exchange;
  exchange.method = head.method;
  exchange.method_text = head.method_text;
  exchange.path = head.path;
  exchange.headers = head.fields;
  exchange.host = head.host;
  exchange.peer = facts_.peer;
  exchange.client = facts_.peer;
  exchange.surface = facts_.surface;
  exchange.secure = facts_.tls;
  exchange.upgrade = head.upgrade_websocket;
  if (!host_.proxies().contains(facts_.peer)) return;
  std::string forwarded;
  for (const auto& [name, value] : head.fields)
    if (name == "x-forwarded-for") forwarded.append(forwarded.empty() ? "" : ",").append(value);
  exchange.client = host_.proxies().client(facts_.peer, forwarded);
  if (const auto* scheme = exchange.header("x-forwarded-proto")) exchange.secure = *scheme == "https";
  if (const auto* host = exchange.header("x-forwarded-host"))
    if (auto name = parse_authority(*host)) exchange.host = std::move(*name);
}

void Connection::route(const Head& head) {
  auto& exchange = *incoming_.exchange;
  if (head.path == "*") {
    incoming_.answer = Response{204, {{"Allow", "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"}}, {}};
    return;
  }
  auto query = parse_query(head.query);
  exchange.query = std::move(query.values);
  auto match =
      host_.router(facts_.surface).resolve({head.method, head.path, &exchange.query, exchange.upgrade});
  if (match.route == nullptr) {
    if (match.allow.empty()) {
      incoming_.answer = error_response(404, "not_found", "there is nothing at this path");
    } else if (head.method == Method::options) {
      incoming_.answer = Response{204, {{"Allow", match.allow}}, {}};
    } else {
      const auto text = "this path allows " + match.allow;
      incoming_.answer = match.neighbour != nullptr && match.neighbour->message_errors
                             ? message_response(405, text)
                             : error_response(405, "method_not_allowed", text);
      incoming_.answer->headers.emplace_back("Allow", match.allow);
    }
    return;
  }
  exchange.route = match.route->id;
  incoming_.upgrade = match.route->upgrade;
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

void Connection::begin_body(const Head& head) {
  const auto& limits = host_.limits();
  const auto length = head.content_length.value_or(0);
  const bool has_body = head.chunked || length > 0;
  const bool settled = incoming_.answer || incoming_.exchange->refusal;
  // A body that is too large is never read; one that is still withheld is not asked for in vain.
  if (length > limits.max_body || (has_body && settled && head.expects_continue)) {
    incoming_.close = true;
    phase_ = Phase::holding;
    return;
  }
  if (!has_body) {
    phase_ = Phase::holding;
    return;
  }
  if (head.chunked)
    body_.begin_chunked(limits.max_body);
  else
    body_.begin_length(length);
  phase_ = Phase::body;
  deadline_ = host_.now() + std::chrono::milliseconds(limits.body_ms);
  if (!head.expects_continue || !unread().empty()) return;
  push_slot().interim = true;
  slots_.back().response.emplace();
}

bool Connection::read_body() {
  if (unread().empty()) return false;
  size_t used = 0;
  auto& exchange = *incoming_.exchange;
  const auto state = body_.feed(unread(), exchange.body, used);
  begin_ += used;
  if (state == BodyReader::State::more) return false;
  if (state == BodyReader::State::bad) {
    fail(400, "the body's chunked coding is malformed");
    return false;
  }
  if (state == BodyReader::State::too_large) {
    exchange.body = {};
    exchange.refusal =
        Refusal{413, "payload_too_large",
                "the body is larger than " + std::to_string(host_.limits().max_body) + " bytes"};
    incoming_.close = true;
  }
  phase_ = Phase::holding;
  return true;
}

}  // namespace patchbay::rest_api
