#include "ladder/ladder_route.h"

#include <patchbay/utc.h>

#include <string>
#include <utility>

namespace patchbay::sip_trunk {
namespace {

constexpr char kLadderSchema[] = R"({"type":"object","required":["callId","messages","leftOut"],"properties":{
"callId":{"type":"string"},
"messages":{"type":"array","description":"In the order of time","items":{"type":"object","required":["at","direction","peer","summary","text"],"properties":{
  "at":{"type":"string","format":"date-time"},
  "direction":{"type":"string","enum":["sent","received"]},
  "peer":{"type":"string","description":"Transport and address of the other side: udp 192.0.2.1:5060"},
  "summary":{"type":"string","description":"Method and URI, or status: 180 Ringing"},
  "text":{"type":"string","description":"The whole message; *** in place of credentials and keys"}}}},
"leftOut":{"type":"integer","description":"Messages beyond the limit of a call"}}})";

constexpr char kLadderExample[] = R"({"reply": {"callId": "oac-0123456789ab", "messages": [
  {"at": "2026-11-23T12:00:00.000Z", "direction": "sent", "peer": "udp 192.0.2.1:5060", "summary": "INVITE sip:+4930123456@192.0.2.1",
   "text": "INVITE sip:+4930123456@192.0.2.1 SIP/2.0\n"}], "leftOut": 0}})";

http::Response respond(const std::string& call_id, const Ladder& ladder) {
  JsonWriter out;
  out.object().member("callId", call_id).key("messages").array();
  for (const LadderMessage& message : ladder.messages)
    out.object()
        .member("at", utc_text(message.at_ms))
        .member("direction", message.is_sent ? "sent" : "received")
        .member("peer", message.peer)
        .member("summary", message.summary)
        .member("text", message.text)
        .end();
  out.end().member("leftOut", static_cast<int64_t>(ladder.left_out)).end();
  return http::ok(std::move(out).str());
}

}  // namespace

void add_ladder_route(http::Routes& routes, const Ladders& ladders) {
  http::Route route;
  route.method = "GET";
  route.path = "/api.ashx/v1/calls/{id}/ladder";
  route.area = "calls";
  route.summary = "The SIP messages of a recent call, with credentials masked";
  route.reply_schema = kLadderSchema;
  route.example = kLadderExample;
  route.documents = R"({"statuses": {"404": "No such call on this server, or not among its latest 500"}})";
  routes.add(std::move(route), [&ladders](const http::Request& request) -> Result<http::Response> {
    const std::string id(request.params.text("id"));
    const auto ladder = ladders.find(request.tenant, id);
    if (!ladder)
      return http::error(404, "not_found", "no such call, or it is not among the latest 500 of this server");
    return respond(id, *ladder);
  });
}

}  // namespace patchbay::sip_trunk
