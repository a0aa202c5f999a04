#include "routes/explain_routes.h"

#include <patchbay/strand.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "number/number.h"
#include "routes/inbound_decision.h"
#include "routes/route_responses.h"
#include "routes/trunk_choice.h"
#include "routes/unreachable_rows.h"
#include "stack/sip_limits.h"

namespace patchbay::sip_trunk {
namespace {

constexpr char kQuestion[] =
    R"({"type": "object", "required": ["direction"], "properties": {
  "direction": {"type": "string", "enum": ["outbound", "inbound"], "description": "Whether a dial or an inbound call is explained"},
  "number": {"type": "string", "minLength": 1, "maxLength": 64, "description": "With outbound: the number to dial"},
  "did": {"type": "string", "minLength": 1, "maxLength": 64, "description": "With inbound: the called number"},
  "fromNumber": {"type": "string", "maxLength": 64, "default": "", "description": "With inbound: the caller; empty: without caller ID"}}})";

constexpr char kQuestionExample[] =
    R"({"request": {"direction": "outbound", "number": "+4930123456"},
"reply": {"direction": "outbound", "number": "+4930123456", "wouldDial": true, "why": "the first trunk is main",
  "gates": [{"gate": "whitelist", "allowed": true, "reason": "", "detail": "the entry +49 30 123456"}],
  "route": {"match": "+49*", "trunkIds": ["main"], "source": "api", "position": 1},
  "trunks": [{"id": "main", "host": "sip.carrier.example", "skipped": ""}], "limits": [],
  "unreachableRoutes": [], "absent": []}})";

std::string explanation_schema() {
  const std::string route = row_schema(Domain::outbound), called = row_schema(Domain::inbound);
  const std::string either = R"({"anyOf":[)" + route + "," + called + "]}";
  return R"({"type":"object","required":["direction","why","unreachableRoutes","absent"],"properties":{
"direction":{"type":"string","enum":["outbound","inbound"]},
"number":{"type":"string","description":"As it would be dialled"},
"virtualNumber":{"anyOf":[{"type":"object","required":["name","number","mode","visibility"],"properties":{"name":{"type":"string"},"number":{"type":"string"},"mode":{"type":"string"},"visibility":{"type":"string"}}},{"type":"null"}]},
"wouldDial":{"type":"boolean"},
"why":{"type":"string"},
"gates":{"type":"array","items":{"type":"object","required":["gate","allowed","reason","detail"],"properties":{
  "gate":{"type":"string"},"allowed":{"type":"boolean"},"reason":{"type":"string"},
  "detail":{"type":"string","description":"What decided, such as the entry of the whitelist"}}}},
"route":{"anyOf":[)" +
         route + "," + called + R"(,{"type":"null"}]},
"trunks":{"type":"array","description":"In the order of trying","items":{"type":"object","required":["id","host","skipped"],"properties":{
  "id":{"type":"string"},"host":{"type":"string"},
  "skipped":{"type":"string","description":"Why it would be passed over, as far as known without asking the network; empty: it would be tried"}}}},
"limits":{"type":"array","items":{"type":"string"},"description":"With outbound: the limits that are reached and would make the call wait now, of the tenant, the server and the trunks: maxConcurrentCalls (100) of the tenant"},
"did":{"type":["string","null"],"description":"Normalised; null: no number"},
"fromNumber":{"type":["string","null"],"description":"Normalised; null: without caller ID"},
"decision":{"type":"string","enum":["ring-user","virtual-number","refuse"]},
"user":{"type":"string"},
"sipStatus":{"type":["integer","null"]},
"unreachableRoutes":{"type":"array","description":"Rows that no call can reach","items":{"type":"object","required":["route","behind"],"properties":{
  "route":)" +
         either + R"(,"behind":{"anyOf":[)" + route + "," + called +
         R"(,{"type":"null"}],"description":"The earlier row that takes all of its calls; null: its did and fromNumber exclude each other"}}}},
"absent":{"type":"array","items":{"type":"string"},"description":"Plugins that would have a say but are not loaded"}}})";
}

void write_optional_row(JsonWriter& out, const char* name, const RouteRow* row, const RouteRows& rows) {
  out.key(name);
  if (row == nullptr) {
    out.null();
  } else {
    write_row(out, *row, rows);
  }
}

void write_optional_text(JsonWriter& out, const char* name, const std::optional<std::string>& text) {
  out.key(name);
  if (text) {
    out.value(*text);
  } else {
    out.null();
  }
}

void write_unreachable(JsonWriter& out, const RouteRows& rows) {
  out.key("unreachableRoutes").array();
  size_t count = 0;
  for (const UnreachableRow& one : unreachable_rows(rows)) {
    if (++count > kMaxExplainedRows) break;
    out.object().key("route");
    write_row(out, rows[one.row], rows);
    write_optional_row(out, "behind", one.before ? &rows[*one.before] : nullptr, rows);
    out.end();
  }
  out.end();
}

std::string joined(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) all += (all.empty() ? "" : ", ") + text;
  return all;
}

const char* decision_name(InboundDecision::Action action) {
  switch (action) {
    case InboundDecision::Action::ring_user:
      return "ring-user";
    case InboundDecision::Action::answer_by_number:
      return "virtual-number";
    case InboundDecision::Action::refuse:
      return "refuse";
  }
  return "";
}

}  // namespace

ExplainRoutes::ExplainRoutes(const Host& host, const Settings& settings, RouteTables& tables,
                             const TrunkNames& names, const std::map<std::string, RegisteredGate>& gates,
                             TrunkLimits& limits, const TrunkHealth& health)
    : host_(host),
      settings_(settings),
      tables_(tables),
      names_(names),
      gates_(gates),
      limits_(limits),
      health_(health),
      numbers_(host),
      call_limits_(host) {}

void ExplainRoutes::add_to(http::Routes& routes) {
  http::Route route;
  route.method = "POST";
  route.path = "/api.ashx/v1/admin/explain";
  route.area = "explain";
  route.summary = "Explains what would happen to a dial or an inbound call; nothing is sent";
  route.request_schema = kQuestion;
  route.reply_schema = explanation_schema();
  route.example = kQuestionExample;
  routes.add(std::move(route),
             [this](const http::Request& request, Reply reply) { explain(request, std::move(reply)); });
}

void ExplainRoutes::explain(const http::Request& request, Reply reply) {
  const bool is_dial = request.json()["direction"].text() == "outbound";
  const char* member = is_dial ? "number" : "did";
  if (request.json()[member].is_null())
    return reply(invalid(std::string(member) + " is required with this direction, such as \"+4930123456\""));
  if (is_dial) return explain_dial(request, std::move(reply));
  explain_call(request, std::move(reply));
}

void ExplainRoutes::explain_dial(const http::Request& request, Reply reply) {
  auto number = lib::normalise_number(request.json().text("number", ""));
  if (!number) return reply(invalid("number must be a number or an extension, such as \"+4930123456\""));
  if (reports_.size() >= kMaxExplanations)
    return reply(Error{Code::exhausted, "too many explanations are under way"});
  const std::string tenant = settings_.tenant_of(request.tenant);
  std::vector<RegisteredGate> gates;
  for (const auto& [name, gate] : gates_) gates.push_back(gate);
  const int64_t id = ++last_report_;
  auto& report = reports_[id] = std::make_unique<GateReport>(host_);
  report->start(std::move(gates), {tenant, *number, "explain", request.correlation, true},
                [this, id, tenant, number = *number,
                 reply = std::move(reply)](const std::vector<GateAnswer>& answers) mutable {
                  answer_dial(tenant, number, answers, std::move(reply));
                  post(host_, kMainStrand, alive_.bind([this, id] { reports_.erase(id); }));
                });
}

void ExplainRoutes::answer_dial(const std::string& tenant, const std::string& number,
                                std::vector<GateAnswer> gates, Reply reply) {
  call_limits_.call(
      call_limits::CallLimits::reached, {tenant},
      alive_.bind([this, tenant, number, gates = std::move(gates),
                   reply = std::move(reply)](const Result<call_limits::Reached>& reached) mutable {
        reply(http::ok(dial_json(tenant, number, gates, reached ? reached->limit : std::string())));
      }));
}

std::string ExplainRoutes::why_skipped(const std::string& tenant, const TenantTrunks& trunks,
                                       const std::string& trunk_id) const {
  const auto trunk = trunks.trunks.find(trunk_id);
  if (trunk == trunks.trunks.end()) return "the configuration has no such trunk any more";
  const auto hosts = queries_of(trunk->second, settings_.family());
  if (std::all_of(hosts.begin(), hosts.end(),
                  [this](const HostQuery& host) { return names_.is_unresolved(host); }))
    return "its host name is not resolved";
  return health_.why_down({tenant, trunk_id});
}

std::string ExplainRoutes::dial_json(const std::string& tenant, const std::string& number,
                                     const std::vector<GateAnswer>& gates, const std::string& tenant_limit) {
  static const TenantTrunks kNone;
  const auto at = settings_.tenants.find(tenant);
  const TenantTrunks& trunks = at != settings_.tenants.end() ? at->second : kNone;
  const RouteRows& rows = tables_.outbound.rows(tenant);
  const TrunkChoice choice = choose_trunks(trunks, rows, number);
  const std::vector<std::string> ids = choice.row != nullptr ? choice.row->trunk_ids() : choice.trunk_ids;

  std::string why, first;
  if (gates.empty() && settings_.server.require_gate) why = "no dial gate is loaded, and requireGate is set";
  JsonWriter out;
  out.object().member("direction", "outbound").member("number", number).key("gates").array();
  for (const GateAnswer& answer : gates) {
    if (!answer.verdict.allowed && why.empty()) {
      why = answer.gate + ": " + answer.verdict.reason;
      if (!answer.verdict.detail.empty()) why += " (" + answer.verdict.detail + ")";
    }
    out.object().member("gate", answer.gate).member("allowed", answer.verdict.allowed);
    out.member("reason", answer.verdict.reason).member("detail", answer.verdict.detail).end();
  }
  out.end();
  write_optional_row(out, "route", choice.row, rows);
  out.key("trunks").array();
  std::vector<std::string> reached;
  for (const std::string& id : ids) {
    std::string skipped = why_skipped(tenant, trunks, id);
    if (skipped.empty()) {
      if (auto limit = limits_.reached({tenant, id}, trunks.trunks.at(id).limit, host_.mono_ns()))
        skipped = reached.emplace_back(std::move(limit->text));
    }
    if (skipped.empty() && first.empty()) first = id;
    out.object().member("id", id).member("host", settings_.trunk(tenant, id).host);
    out.member("skipped", skipped).end();
  }
  out.end();
  if (why.empty() && ids.empty()) why = "no route matches, and there is no default trunk";
  if (!first.empty()) reached.clear();  // that trunk takes the call
  if (!tenant_limit.empty()) reached.insert(reached.begin(), tenant_limit);
  if (why.empty() && !reached.empty()) why = "the call would wait: " + joined(reached);
  if (why.empty() && first.empty()) why = "none of the trunks can be used";
  out.key("limits").array();
  for (const std::string& limit : reached) out.value(limit);
  out.end();
  out.member("wouldDial", why.empty()).member("why", why.empty() ? "the first trunk is " + first : why);
  write_unreachable(out, rows);
  out.key("absent").array();
  if (gates_.count("whitelist") == 0) out.value("whitelist");
  out.end().end();
  return std::move(out).str();
}

void ExplainRoutes::explain_call(const http::Request& request, Reply reply) {
  const std::string tenant = settings_.tenant_of(request.tenant);
  const std::string did(request.json().text("did", ""));
  const std::string from_number(request.json().text("fromNumber", ""));
  numbers_.call(numbers::Numbers::lookup, {tenant, did},
                alive_.bind([this, tenant, did, from_number,
                             reply = std::move(reply)](const Result<numbers::Summary>& number) mutable {
                  reply(http::ok(call_json(tenant, did, from_number, number)));
                }));
}

std::string ExplainRoutes::call_json(const std::string& tenant, const std::string& did,
                                     const std::string& from_number, const Result<numbers::Summary>& number) {
  const RouteRows& rows = tables_.inbound.rows(tenant);
  const InboundCall call = InboundCall::read(did, from_number);
  const auto found = number ? std::optional(*number) : std::nullopt;
  const InboundDecision decision = decide_inbound(rows, call, found);
  JsonWriter out;
  out.object().member("direction", "inbound");
  write_optional_text(out, "did", call.called);
  write_optional_text(out, "fromNumber", call.calling);
  out.member("decision", decision_name(decision.action)).member("user", decision.user).key("sipStatus");
  if (decision.sip_status != 0) {
    out.value(decision.sip_status);
  } else {
    out.null();
  }
  out.member("why", decision.why);
  write_optional_row(out, "route", decision.row, rows);
  out.key("virtualNumber");
  if (found) {
    out.object().member("name", found->name).member("number", found->number);
    out.member("mode", found->mode).member("visibility", found->visibility).end();
  } else {
    out.null();
  }
  write_unreachable(out, rows);
  out.key("absent").array();
  if (!number && number.error().code != Code::not_found) out.value("numbers");
  out.end().end();
  return std::move(out).str();
}

}  // namespace patchbay::sip_trunk
