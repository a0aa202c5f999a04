#include "routes/trunk_routes.h"

#include <patchbay/services/http_list.h>
#include <patchbay/utc.h>

#include <utility>

namespace patchbay::sip_trunk {
namespace {

constexpr char kTrunk[] =
    R"({"type":"object","required":["id","host","transport","state","why","sinceUtc","calls","maxCalls","registration","source"],"properties":{
"id":{"type":"string"},
"host":{"type":"string","description":"As configured, with the port if that is configured"},
"transport":{"type":"string","enum":["auto","udp","tcp","tls"]},
"state":{"type":"string","enum":["unknown","up","down"],"description":"unknown: no call and no OPTIONS has told yet; down: calls pass it over until it answers"},
"why":{"type":"string","description":"Why it is down; empty otherwise"},
"sinceUtc":{"type":["string","null"],"description":"When the state changed last; null: never"},
"calls":{"type":"integer","description":"Calls at the trunk now, of this server, reserved places included"},
"maxCalls":{"type":"integer","description":"How many it takes at once; 0: any number"},
"registration":{"type":"object","description":"Of our account there","required":["state","why","expiresUtc","nextTryUtc"],"properties":{
  "state":{"type":"string","enum":["none","registering","registered","failed"],"description":"none: the trunk needs no registration"},
  "why":{"type":"string","description":"Why the latest REGISTER failed; empty otherwise"},
  "expiresUtc":{"type":["string","null"],"description":"When it ends unless it is renewed before"},
  "nextTryUtc":{"type":["string","null"],"description":"When a failed one is tried again"}}},
"source":{"type":"string","enum":["config"]}}})";

constexpr char kExample[] =
    R"({"reply": {"data": [{"id": "main", "host": "sip.carrier.example", "transport": "auto", "state": "down",
  "why": "OPTIONS: no answer", "sinceUtc": "2026-11-20T08:15:00.000Z", "calls": 0, "maxCalls": 30,
  "registration": {"state": "registered", "why": "", "expiresUtc": "2026-11-20T08:25:00.000Z", "nextTryUtc": null}, "source": "config"}],
  "total": 1, "limit": 50, "offset": 0, "next": null}})";

const char* name_of(TrunkState::Value value) {
  switch (value) {
    case TrunkState::Value::unknown:
      return "unknown";
    case TrunkState::Value::up:
      return "up";
    case TrunkState::Value::down:
      return "down";
  }
  return "";
}

const char* name_of(TrunkRegistrations::State state) {
  switch (state) {
    case TrunkRegistrations::State::none:
      return "none";
    case TrunkRegistrations::State::registering:
      return "registering";
    case TrunkRegistrations::State::registered:
      return "registered";
    case TrunkRegistrations::State::failed:
      return "failed";
  }
  return "";
}

// 0: null.
void write_time(JsonWriter& out, const char* name, int64_t ms) {
  out.key(name);
  if (ms != 0) {
    out.value(utc_text(ms));
  } else {
    out.null();
  }
}

}  // namespace

void TrunkRoutes::add_to(http::Routes& routes) {
  http::Route route;
  route.method = "GET";
  route.path = "/api.ashx/v1/admin/trunks";
  route.area = "trunks";
  route.summary = "Lists the configured trunks, and whether they are up";
  route.list = true;
  route.reply_schema = kTrunk;
  route.example = kExample;
  routes.add(std::move(route), [this](const http::Request& request, patchbay::Reply<http::Response> reply) {
    reply(list(request));
  });
}

http::Response TrunkRoutes::list(const http::Request& request) const {
  static const TenantTrunks kNone;
  const std::string tenant = settings_.tenant_of(request.tenant);
  const auto at = settings_.tenants.find(tenant);
  const auto& trunks = at != settings_.tenants.end() ? at->second.trunks : kNone.trunks;
  const auto uses = limits_.uses();
  return http::list_page(trunks, request, [&](JsonWriter& body, const auto& entry) {
    const TrunkKey key{tenant, entry.first};
    const auto use = uses.find(key);
    write(body, key, entry.second, use != uses.end() ? use->second : 0);
  });
}

void TrunkRoutes::write(JsonWriter& out, const TrunkKey& key, const TrunkAccess& trunk, int64_t calls) const {
  const TrunkHealth::View view = health_.view(key);
  const bool is_v6 = trunk.host.find(':') != std::string::npos;
  const std::string host = is_v6 && trunk.port != 0 ? "[" + trunk.host + "]" : trunk.host;
  out.object().member("id", key.trunk_id);
  out.member("host", host + (trunk.port != 0 ? ":" + std::to_string(trunk.port) : ""));
  out.member("transport", trunk.is_transport_open ? "auto" : sip_trunk::name_of(trunk.transport));
  out.member("state", name_of(view.value)).member("why", view.why);
  write_time(out, "sinceUtc", view.since_ms);
  out.member("calls", calls).member("maxCalls", trunk.limit.max_calls);
  const TrunkRegistrations::View registration = registrations_.view(key);
  out.key("registration")
      .object()
      .member("state", name_of(registration.state))
      .member("why", registration.why);
  write_time(out, "expiresUtc", registration.expires_ms);
  write_time(out, "nextTryUtc", registration.next_try_ms);
  out.end().member("source", "config").end();
}

}  // namespace patchbay::sip_trunk
