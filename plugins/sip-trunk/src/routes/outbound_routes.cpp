#include "routes/outbound_routes.h"

#include <patchbay/random_id.h>

#include <algorithm>
#include <utility>

#include "routes/route_responses.h"
#include "routes/row_order.h"
#include "stack/sip_limits.h"

namespace patchbay::sip_trunk {
namespace {

constexpr char kTrunkIds[] =
    R"("trunkIds": {"type": "array", "minItems": 1, "maxItems": 20, "items": {"type": "string", "maxLength": 64}, "example": ["main"],
       "description": "Ids of configured trunks, tried in this order"})";
constexpr char kPosition[] =
    R"("position": {"type": "integer", "minimum": 1, "maximum": 1000000,
       "description": "Place among the rows written over REST, from 1; beyond the last one, and by default for a new row, the end"})";
constexpr char kMatchQuery[] =
    R"({"type": "object", "required": ["match"], "properties": {"match": {"type": "string", "minLength": 1, "maxLength": 64}}})";
constexpr char kCreateExample[] =
    R"({"request": {"match": "+49*", "trunkIds": ["main", "backup"]},
        "reply": {"match": "+49*", "trunkIds": ["main", "backup"], "source": "api", "position": 1}})";
constexpr char kCreated[] =
    R"({"statuses": {"201": "Created", "409": "duplicate_route: a row for these numbers exists; conflict: 1000 rows exist, or others keep changing them"}})";
constexpr char kSiblings[] = R"({"siblings": {"defaultTrunkId": {"type": "string",
  "description": "Trunk for numbers that no row matches; empty: none. Defined by configuration"}}})";
constexpr char kReadOnly[] =
    R"({"statuses": {"409": "read_only: defined by configuration; conflict: others keep changing the rows"}})";
constexpr char kMissing[] = R"({"statuses": {"404": "not_found: no row has this match"}})";
constexpr char kMissingOrReadOnly[] = R"({"statuses": {"404": "not_found: no row has this match",
  "409": "read_only: defined by configuration; conflict: others keep changing the rows"}})";

std::string body_schema(const std::string& required, const std::string& properties) {
  return R"({"type": "object", "required": [)" + required + R"(], "properties": {)" + properties + "}}";
}

// The match of an item endpoint, of either form.
std::string match_of(const http::Request& request) {
  const std::string_view in_path = request.params.text("match");
  return std::string(in_path.empty() ? request.query.text("match") : in_path);
}

RouteRows::const_iterator find_match(const RouteRows& rows, const std::string& match) {
  return std::find_if(rows.begin(), rows.end(), [&](const RouteRow& row) { return row.number == match; });
}

// Why there is no stored row to change: it is one of the configuration, or does not exist.
http::Response refuse_change(const RouteRows& all, const std::string& match) {
  return find_match(all, match) == all.end() ? no_such_route() : read_only_route();
}

audit::Record record_of(const http::Request& request, const char* action, const std::string& match,
                        const std::string& before, const std::string& after) {
  return audit::record_of(request, action, match, before, after);
}

RoutePlan plan_create(const http::Request& request, RouteRow row, const RouteRows& all,
                      const RouteRows& stored) {
  for (const RouteRow& other : all)
    if (other.has_pair_of(row)) return answer_with(duplicate_route(other));
  if (stored.size() >= kMaxStoredOutboundRoutes)
    return answer_with(too_many_routes(kMaxStoredOutboundRoutes));
  const std::string id = row.id, match = row.number;
  RouteEdit edit{stored, {}};
  edit.stored.push_back(std::move(row));
  if (const int64_t position = request.json().integer("position", 0); position > 0)
    move_row(edit.stored, edit.stored.size() - 1, position);
  edit.record = record_of(request, "outbound-route.created", match, "",
                          row_json(*find_match(edit.stored, match), edit.stored));
  return {std::move(edit),
          [match](const RouteRows& rows) { return created(row_json(*find_match(rows, match), rows)); }};
}

RoutePlan plan_change(const http::Request& request, const std::optional<std::string>& target,
                      const RouteRows& all, const RouteRows& stored) {
  const std::string match = match_of(request);
  const auto found = find_match(stored, match);
  if (found == stored.end()) return answer_with(refuse_change(all, match));
  RouteEdit edit{stored, {}};
  const auto at = static_cast<size_t>(found - stored.begin());
  if (target) edit.stored[at].target = *target;
  if (const int64_t position = request.json().integer("position", 0); position > 0)
    move_row(edit.stored, at, position);
  edit.record = record_of(request, "outbound-route.changed", match, row_json(*found, stored),
                          row_json(*find_match(edit.stored, match), edit.stored));
  if (edit.record.before == edit.record.after) return answer_with(http::ok(edit.record.after));
  return {std::move(edit),
          [match](const RouteRows& rows) { return http::ok(row_json(*find_match(rows, match), rows)); }};
}

RoutePlan plan_remove(const http::Request& request, const RouteRows& all, const RouteRows& stored) {
  const std::string match = match_of(request);
  const auto found = find_match(stored, match);
  if (found == stored.end()) return answer_with(refuse_change(all, match));
  RouteEdit edit{stored, {}};
  edit.stored.erase(edit.stored.begin() + (found - stored.begin()));
  edit.record = record_of(request, "outbound-route.deleted", match, row_json(*found, stored), "");
  return {std::move(edit),
          [body = deleted_json(*found, stored)](const RouteRows&) { return http::ok(body); }};
}

}  // namespace

void OutboundRoutes::add_to(http::Routes& routes) {
  add_list(routes);
  add_create(routes);
  http::Route get = route_of(Domain::outbound, "GET", "/{match}", "Reads an outbound route");
  get.reply_schema = row_schema(Domain::outbound);
  add_item(routes, get, kMissing, &OutboundRoutes::get);
  http::Route change = route_of(Domain::outbound, "PUT", "/{match}",
                                "Replaces the trunks of an outbound route, moves it, or both");
  change.request_schema = body_schema("", std::string(kTrunkIds) + "," + kPosition);
  change.reply_schema = row_schema(Domain::outbound);
  change.documents = kReadOnly;
  change.example =
      R"({"request": {"trunkIds": ["backup", "main"]},
          "reply": {"match": "+49*", "trunkIds": ["backup", "main"], "source": "api", "position": 1}})";
  add_item(routes, change, kMissingOrReadOnly, &OutboundRoutes::change);
  http::Route removal = route_of(Domain::outbound, "DELETE", "/{match}", "Deletes an outbound route");
  removal.reply_schema = deleted_schema(Domain::outbound);
  removal.documents = kReadOnly;
  add_item(routes, removal, kMissingOrReadOnly, &OutboundRoutes::remove);
}

void OutboundRoutes::add_list(http::Routes& routes) {
  http::Route route =
      route_of(Domain::outbound, "GET", "", "Lists the outbound routes in the order in which they are tried");
  route.list = true;
  route.reply_schema = row_schema(Domain::outbound);
  route.documents = kSiblings;
  routes.add(std::move(route),
             [this](const http::Request& request, Reply reply) { list(request, std::move(reply)); });
}

void OutboundRoutes::add_create(http::Routes& routes) {
  http::Route route = route_of(Domain::outbound, "POST", "", "Adds an outbound route at the end");
  route.request_schema = body_schema(
      R"("match", "trunkIds")",
      std::string(R"("match": {"type": "string", "minLength": 1, "maxLength": 64, "example": "+49*",
        "description": "A number, a prefix followed by *, or global"},)") +
          kTrunkIds + "," + kPosition);
  route.reply_schema = row_schema(Domain::outbound);
  route.documents = kCreated;
  route.example = kCreateExample;
  routes.add(std::move(route),
             [this](const http::Request& request, Reply reply) { create(request, std::move(reply)); });
}

void OutboundRoutes::add_item(http::Routes& routes, const http::Route& route, const char* query_statuses,
                              Handle handle) {
  const auto handler = [this, handle](const http::Request& request, Reply reply) {
    (this->*handle)(request, std::move(reply));
  };
  routes.add(route, handler);
  http::Route by_query = route;
  by_query.path = by_query.path.substr(0, by_query.path.rfind('/'));
  by_query.discriminator = "match=";
  by_query.query_schema = kMatchQuery;
  by_query.documents = query_statuses;
  by_query.summary += " (for clients behind proxies that rewrite %2A in paths)";
  routes.add(std::move(by_query), handler);
}

Result<std::vector<std::string>> OutboundRoutes::read_trunk_ids(const std::string& tenant,
                                                                JsonView ids) const {
  const auto at = settings_.tenants.find(tenant);
  std::vector<std::string> read;
  for (size_t i = 0; i < ids.size(); ++i) {
    read.emplace_back(ids.at(i).text());
    if (at == settings_.tenants.end() || at->second.trunks.count(read.back()) == 0)
      return {Code::invalid, "trunkIds[" + std::to_string(i) +
                                 "] must be the id of a trunk of the configuration, such as \"main\""};
  }
  return read;
}

void OutboundRoutes::list(const http::Request& request, Reply reply) {
  const std::string tenant = settings_.tenant_of(request.tenant);
  const auto at = settings_.tenants.find(tenant);
  const std::string trunk = at != settings_.tenants.end() ? at->second.default_trunk : std::string();
  std::string sibling = ",\"defaultTrunkId\":";
  append_json_string(sibling, trunk);
  reply(page_of(table_.rows(tenant), request, sibling));
}

void OutboundRoutes::get(const http::Request& request, Reply reply) {
  const RouteRows& rows = table_.rows(settings_.tenant_of(request.tenant));
  const auto found = find_match(rows, match_of(request));
  reply(found == rows.end() ? no_such_route() : http::ok(row_json(*found, rows)));
}

void OutboundRoutes::create(const http::Request& request, Reply reply) {
  const std::string tenant = settings_.tenant_of(request.tenant);
  const auto trunk_ids = read_trunk_ids(tenant, request.json()["trunkIds"]);
  if (!trunk_ids) return reply(invalid(trunk_ids.error().text));
  auto row = RouteRow::outbound(request.json().text("match", ""), *trunk_ids);
  if (!row) return reply(invalid(row.error().text));
  auto id = random_id();
  if (!id) return reply(id.error());
  row->id = *std::move(id);
  table_.write(
      tenant,
      [request, row = *std::move(row)](const RouteRows& all, const RouteRows& stored) {
        return plan_create(request, row, all, stored);
      },
      std::move(reply));
}

void OutboundRoutes::change(const http::Request& request, Reply reply) {
  const std::string tenant = settings_.tenant_of(request.tenant);
  const JsonView ids = request.json()["trunkIds"];
  std::optional<std::string> target;
  if (ids.is_array()) {
    const auto trunk_ids = read_trunk_ids(tenant, ids);
    if (!trunk_ids) return reply(invalid(trunk_ids.error().text));
    target = RouteRow::outbound("*", *trunk_ids)->target;
  } else if (request.json()["position"].is_null()) {
    return reply(invalid("trunkIds is required, such as [\"main\"]"));
  }
  table_.write(
      tenant,
      [request, target = std::move(target)](const RouteRows& all, const RouteRows& stored) {
        return plan_change(request, target, all, stored);
      },
      std::move(reply));
}

void OutboundRoutes::remove(const http::Request& request, Reply reply) {
  table_.write(
      settings_.tenant_of(request.tenant),
      [request](const RouteRows& all, const RouteRows& stored) { return plan_remove(request, all, stored); },
      std::move(reply));
}

}  // namespace patchbay::sip_trunk
