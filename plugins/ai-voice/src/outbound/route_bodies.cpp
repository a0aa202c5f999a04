#include "outbound/route_bodies.h"

#include <algorithm>

#include "outbound/create_request.h"
#include "outbound/limits.h"

namespace patchbay::ai_voice {
namespace {

http::Route route_of(std::string_view method, std::string_view path, std::string_view summary) {
  http::Route route;
  route.method = method;
  route.path = path;
  route.area = "calls";
  route.summary = summary;
  return route;
}

constexpr std::string_view kCreateExample = R"({
  "request": {"phone": "+4930123456", "displayName": "Dentist", "email": "ops@example.com",
              "systemPrompt": "Remind the callee of the appointment tomorrow at nine.", "apiKey": "key-of-the-engine", "maxSeconds": 120},
  "reply": {"ok": true, "callId": "oac-0123456789ab", "tenant": "acme.example", "whitelistAdded": true,
            "whitelistError": null, "bridgeReply": "queued"}})";

std::string status_names() {
  std::string all;
  for (const std::string_view status : kStatuses) all.append(all.empty() ? "" : ", ").append(status);
  return all;
}

}  // namespace

http::Route create_route() {
  http::Route route = route_of("POST", "/api.ashx/v1/calls", "Place an outbound AI call, now or later");
  route.request_schema = create_schema();
  route.max_body_bytes = kMaxCreateBodyBytes;
  route.reply_schema = R"({"type": "object",
    "required": ["ok", "callId", "tenant", "whitelistAdded", "whitelistError", "bridgeReply"], "properties": {
    "ok": {"type": "boolean"}, "callId": {"type": "string", "pattern": "^oac-[0-9a-f]{12}$"}, "tenant": {"type": "string"},
    "whitelistAdded": {"type": "boolean"}, "whitelistError": {"type": ["string", "null"]},
    "bridgeReply": {"type": "string", "enum": ["queued", "scheduled"]},
    "waitsFor": )" + std::string(kWaitsForSchema) +
                       "}}";
  route.example = kCreateExample;
  route.documents = R"({
    "requestHeaders": {"Idempotency-Key": "Of at most 255 characters: the same key and body within 24 h gives the first answer again"},
    "replyHeaders": {"Idempotent-Replayed": "true when the answer is that of an earlier request with this Idempotency-Key"},
    "statuses": {"200": "Accepted: dialled now, or scheduled",
                 "409": "idempotency_conflict: the Idempotency-Key was used with another body",
                 "502": "bridge_unreachable: telephony cannot act now; nothing was stored",
                 "503": "bridge_not_configured: the tenant has no telephony; or not available at the moment: with Retry-After when the server is too busy for another call"}})";
  return route;
}

http::Route list_route() {
  http::Route route = route_of("GET", "/api.ashx/v1/calls", "List outbound AI calls, newest first");
  route.query_schema = R"({"type": "object", "properties": {
    "status": {"type": "string", "maxLength": 400, "description": "Comma-separated statuses; all when left out"},
    "cursor": {"type": "string", "maxLength": 100, "description": "Where the page begins; only as `next` of the page before has it"}}})";
  route.reply_schema = record_schema();
  route.list = true;
  return route;
}

http::Route get_route() {
  http::Route route = route_of("GET", "/api.ashx/v1/calls/{id}", "One outbound AI call");
  route.reply_schema = record_schema();
  return route;
}

http::Route hangup_route() {
  http::Route route = route_of("POST", "/api.ashx/v1/calls/{id}/hangup", "End or cancel an outbound AI call");
  route.reply_schema = R"({"type": "object",
    "required": ["ok", "callId", "newStatus", "actor", "wasNoop"], "properties": {
    "ok": {"type": "boolean"}, "callId": {"type": "string"}, "newStatus": {"type": "string"}, "actor": {"type": "string"},
    "wasNoop": {"type": "boolean"}}})";
  return route;
}

http::Response no_such_call() { return http::error(404, "not_found", "There is no such call."); }

http::Response hangup_reply(const Call& call, std::string_view actor, std::string_view status, bool noop) {
  JsonWriter body;
  body.object()
      .member("ok", true)
      .member("callId", call.call_id)
      .member("newStatus", status)
      .member("actor", actor)
      .member("wasNoop", noop)
      .end();
  return http::ok(std::move(body).str());
}

std::string create_reply(const Call& call, bool whitelist_added, std::string_view whitelist_error) {
  JsonWriter body;
  body.object()
      .member("ok", true)
      .member("callId", call.call_id)
      .member("tenant", call.tenant)
      .member("whitelistAdded", whitelist_added)
      .key("whitelistError");
  if (whitelist_error.empty()) {
    body.null();
  } else {
    body.value(whitelist_error);
  }
  body.member("bridgeReply", call.scheduled_ms > 0 ? "scheduled" : "queued");
  if (!call.waits_for.empty()) body.member("waitsFor", call.waits_for);
  body.end();
  return std::move(body).str();
}

Result<std::vector<std::string>> read_statuses(std::string_view text) {
  std::vector<std::string> statuses;
  if (text.empty()) return statuses;
  while (true) {
    const auto comma = text.find(',');
    const auto word = text.substr(0, comma);
    if (!is_status(word))
      return {Code::invalid, "status must be a comma-separated list of " + status_names()};
    if (std::find(statuses.begin(), statuses.end(), word) == statuses.end()) statuses.emplace_back(word);
    if (comma == std::string_view::npos) return statuses;
    text.remove_prefix(comma + 1);
  }
}

}  // namespace patchbay::ai_voice
