#include "routes/inbound_routes.h"

#include <patchbay/random_id.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "routes/route_responses.h"
#include "routes/row_order.h"
#include "stack/sip_limits.h"

namespace patchbay::sip_trunk {
namespace {

constexpr char kUser[] =
    R"("user": {"type": "string", "minLength": 1, "maxLength": 64, "pattern": "^[^\\s\\u0000-\\u001f\\u007f]+$",
      "x-rule": "be the name of a user", "example": "alice", "description": "User who is rung"})";
constexpr char kRowPosition[] =
    R"("position": {"type": "integer", "minimum": 1, "maximum": 1000000,
       "description": "Place among the rows written over REST, from 1; beyond the last one, and by default for a new row, the end, before the catchall"})";
constexpr char kDidMember[] = R"("did": {"type": "string", "minLength": 1, "maxLength": 64})";
constexpr char kFromNumberMember[] =
    R"("fromNumber": {"type": "string", "maxLength": 64, "default": "", "description": "The caller filter of the row; empty or left out: )";
constexpr char kAddedExample[] =
    R"({"request": {"did": "+4930123456", "fromNumber": "+43*", "user": "alice"},
        "reply": {"Did": "+4930123456", "FromNumber": "+43*", "User": "alice", "Source": "api", "Position": 1}})";
constexpr char kAdded[] =
    R"({"statuses": {"201": "Created", "409": "duplicate_route: the pair of did and fromNumber exists; conflict: 10000 rows exist, or others keep changing them"}})";
constexpr char kConfigured[] =
    R"({"statuses": {"409": "read_only: defined by configuration; conflict: others keep changing the rows"}})";
constexpr char kAbsent[] = R"({"statuses": {"404": "not_found: no row has this did"}})";
constexpr char kAbsentOrConfigured[] =
    R"({"statuses": {"404": "not_found: no row has this did and fromNumber",
  "409": "read_only: defined by configuration; conflict: others keep changing the rows"}})";
constexpr char kDeletion[] =
    R"({"statuses": {"400": "invalid_request: bad input; cannot_delete_catchall: did is *",
  "409": "read_only: defined by configuration; conflict: others keep changing the rows"}})";
constexpr char kDeletionByQuery[] =
    R"({"statuses": {"400": "invalid_request: bad input; cannot_delete_catchall: did is *",
  "404": "not_found: no row has this did and fromNumber",
  "409": "read_only: defined by configuration; conflict: others keep changing the rows"}})";

// The row of an item endpoint: of either form.
struct Address {
  explicit Address(const http::Request& request)
      : did(request.params.text("did")), caller(request.query.text("fromNumber")) {
    if (did.empty()) did = request.query.text("did");
  }
  bool is_did_of(const RouteRow& row) const { return row.number == did; }
  bool is_pair_of(const RouteRow& row) const { return row.number == did && row.caller == caller; }
  // For the audit log.
  std::string text() const { return caller.empty() ? did : did + " from " + caller; }

  std::string did;
  std::string caller;  // "": without a filter
};

template <class Test>
RouteRows::const_iterator find_row(const RouteRows& rows, Test test) {
  return std::find_if(rows.begin(), rows.end(), test);
}

RouteRows::const_iterator find_id(const RouteRows& rows, const std::string& id) {
  return find_row(rows, [&](const RouteRow& row) { return row.id == id; });
}

RoutePlan plan_added(const http::Request& request, RouteRow row, const RouteRows& all,
                     const RouteRows& stored) {
  for (const RouteRow& other : all)
    if (other.has_pair_of(row)) return answer_with(duplicate_route(other));
  if (stored.size() >= kMaxStoredInboundRoutes) return answer_with(too_many_routes(kMaxStoredInboundRoutes));
  const std::string id = row.id;
  const std::string object = row.caller.empty() ? row.number : row.number + " from " + row.caller;
  RouteEdit edit{stored, {}};
  const auto end = find_row(stored, [](const RouteRow& one) { return one.is_catchall(); });
  const auto at = static_cast<size_t>(end - stored.begin());
  edit.stored.insert(edit.stored.begin() + static_cast<std::ptrdiff_t>(at), std::move(row));
  if (const int64_t position = request.json().integer("position", 0); position > 0)
    move_row(edit.stored, at, position);
  edit.record = audit::record_of(request, "inbound-route.created", object, "",
                                 row_json(*find_id(edit.stored, id), edit.stored));
  return {std::move(edit),
          [id](const RouteRows& rows) { return created(row_json(*find_id(rows, id), rows, Names::pascal)); }};
}

// Stores the automatic catchall.
RoutePlan plan_catchall(const http::Request& request, RouteRow row, const RouteRow& before,
                        const RouteRows& stored) {
  const std::string id = row.id;
  RouteEdit edit{stored, {}};
  edit.stored.push_back(std::move(row));
  edit.record = audit::record_of(request, "inbound-route.changed", "*", row_json(before, stored),
                                 row_json(edit.stored.back(), edit.stored));
  return {std::move(edit), [id](const RouteRows& rows) {
            return http::ok(row_json(*find_id(rows, id), rows, Names::pascal));
          }};
}

RoutePlan plan_changed(const http::Request& request, const std::string& new_id, const RouteRows& all,
                       const RouteRows& stored) {
  const Address address(request);
  const auto is_it = [&](const RouteRow& row) { return address.is_pair_of(row); };
  const auto found = find_row(stored, is_it);
  const auto shown = find_row(all, is_it);
  const std::string_view user = request.json().text("user", "");
  if (shown == all.end()) return answer_with(no_such_route());
  if (shown->source == Source::automatic) {
    auto row = RouteRow::inbound("*", "", user);
    row->id = new_id;
    return plan_catchall(request, *std::move(row), *shown, stored);
  }
  if (found == stored.end()) return answer_with(read_only_route());
  RouteEdit edit{stored, {}};
  const auto at = static_cast<size_t>(found - stored.begin());
  if (!user.empty()) edit.stored[at].target = user;
  if (const int64_t position = request.json().integer("position", 0); position > 0)
    move_row(edit.stored, at, position);
  edit.record = audit::record_of(request, "inbound-route.changed", address.text(), row_json(*found, stored),
                                 row_json(*find_id(edit.stored, found->id), edit.stored));
  if (edit.record.before == edit.record.after)
    return answer_with(http::ok(row_json(*found, stored, Names::pascal)));
  return {std::move(edit), [id = found->id](const RouteRows& rows) {
            return http::ok(row_json(*find_id(rows, id), rows, Names::pascal));
          }};
}

// Without fromNumber it is the first row of that did, whatever its filter.
RoutePlan plan_removed(const http::Request& request, const RouteRows& all, const RouteRows& stored) {
  const Address address(request);
  const auto is_it = [&](const RouteRow& row) {
    return address.caller.empty() ? address.is_did_of(row) : address.is_pair_of(row);
  };
  const auto found = find_row(stored, is_it);
  if (found == stored.end())
    return answer_with(find_row(all, is_it) == all.end() ? no_such_route() : read_only_route());
  RouteEdit edit{stored, {}};
  edit.stored.erase(edit.stored.begin() + (found - stored.begin()));
  edit.record =
      audit::record_of(request, "inbound-route.deleted", address.text(), row_json(*found, stored), "");
  return {std::move(edit),
          [body = deleted_json(*found, stored, Names::pascal)](const RouteRows&) { return http::ok(body); }};
}

}  // namespace

void InboundRoutes::add_to(http::Routes& routes) {
  add_list(routes);
  add_create(routes);
  http::Route get = route_of(Domain::inbound, "GET", "/{did}", "Reads the first inbound route of a did");
  get.reply_schema = row_schema(Domain::inbound);
  add_item(routes, std::move(get), "", kAbsent, &InboundRoutes::get);
  http::Route change =
      route_of(Domain::inbound, "PUT", "/{did}", "Changes the user of an inbound route, moves it, or both");
  change.request_schema =
      R"({"type": "object", "properties": {)" + std::string(kUser) + "," + kRowPosition + "}}";
  change.reply_schema = row_schema(Domain::inbound, Names::pascal);
  change.documents = kConfigured;
  change.example = R"({"request": {"user": "bob"}, "reply": {"Did": "*", "User": "bob", "Source": "api"}})";
  add_item(routes, std::move(change), std::string(kFromNumberMember) + R"(the row without one"})",
           kAbsentOrConfigured, &InboundRoutes::change);
  http::Route removal = route_of(Domain::inbound, "DELETE", "/{did}", "Deletes an inbound route");
  removal.reply_schema = deleted_schema(Domain::inbound, Names::pascal);
  removal.documents = kDeletion;
  add_item(routes, std::move(removal),
           std::string(kFromNumberMember) + R"(the first row of the did, whatever its filter"})",
           kDeletionByQuery, &InboundRoutes::remove);
}

void InboundRoutes::add_list(http::Routes& routes) {
  http::Route route =
      route_of(Domain::inbound, "GET", "", "Lists the inbound routes in the order in which they are tried");
  route.list = true;
  route.reply_schema = row_schema(Domain::inbound);
  routes.add(std::move(route),
             [this](const http::Request& request, Reply reply) { list(request, std::move(reply)); });
}

void InboundRoutes::add_create(http::Routes& routes) {
  http::Route route = route_of(Domain::inbound, "POST", "", "Adds an inbound route before the catchall");
  route.request_schema =
      R"({"type": "object", "required": ["did", "user"], "properties": {
      "did": {"type": "string", "minLength": 1, "maxLength": 64, "example": "+4930123456", "description": "A number, an extension, or anonymous: calls without caller ID"},
      "fromNumber": {"type": "string", "maxLength": 64, "description": "Only calls of this number, prefix followed by *, or anonymous; empty or left out: any"},)" +
      std::string(kUser) + "," + kRowPosition + "}}";
  route.reply_schema = row_schema(Domain::inbound, Names::pascal);
  route.documents = kAdded;
  route.example = kAddedExample;
  routes.add(std::move(route),
             [this](const http::Request& request, Reply reply) { create(request, std::move(reply)); });
}

void InboundRoutes::add_item(http::Routes& routes, http::Route route, const std::string& more_query,
                             const char* query_documents, Handle handle) {
  const auto handler = [this, handle](const http::Request& request, Reply reply) {
    (this->*handle)(request, std::move(reply));
  };
  const std::string begin = R"({"type": "object", )";
  if (!more_query.empty()) route.query_schema = begin + R"("properties": {)" + more_query + "}}";
  routes.add(route, handler);
  route.path = route.path.substr(0, route.path.rfind('/'));
  route.discriminator = "did=";
  route.query_schema = begin + R"("required": ["did"], "properties": {)" + kDidMember +
                       (more_query.empty() ? "" : ",") + more_query + "}}";
  route.documents = query_documents;
  route.summary += " (for clients behind proxies that rewrite %2A in paths)";
  routes.add(std::move(route), handler);
}

void InboundRoutes::list(const http::Request& request, Reply reply) {
  reply(page_of(table_.rows(settings_.tenant_of(request.tenant)), request));
}

void InboundRoutes::get(const http::Request& request, Reply reply) {
  const RouteRows& rows = table_.rows(settings_.tenant_of(request.tenant));
  const auto found =
      find_row(rows, [address = Address(request)](const RouteRow& row) { return address.is_did_of(row); });
  reply(found == rows.end() ? no_such_route() : http::ok(row_json(*found, rows)));
}

void InboundRoutes::create(const http::Request& request, Reply reply) {
  const JsonView body = request.json();
  auto row = RouteRow::inbound(body.text("did", ""), body.text("fromNumber", ""), body.text("user", ""));
  if (!row) return reply(invalid(row.error().text));
  if (row->is_catchall() && row->caller_pattern)
    return reply(invalid("fromNumber must be left out with the did *, which takes calls of every caller"));
  auto id = random_id();
  if (!id) return reply(id.error());
  row->id = *std::move(id);
  table_.write(
      settings_.tenant_of(request.tenant),
      [request, row = *std::move(row)](const RouteRows& all, const RouteRows& stored) {
        return plan_added(request, row, all, stored);
      },
      std::move(reply));
}

void InboundRoutes::change(const http::Request& request, Reply reply) {
  const bool is_moved = !request.json()["position"].is_null();
  const bool is_catchall = Address(request).did == "*";
  if (request.json()["user"].is_null() && (!is_moved || is_catchall))
    return reply(invalid("user is required, such as \"alice\""));
  if (is_moved && is_catchall)
    return reply(invalid("position must be left out with the did *, which stays last"));
  auto id = random_id();
  if (!id) return reply(id.error());
  table_.write(
      settings_.tenant_of(request.tenant),
      [request, id = *std::move(id)](const RouteRows& all, const RouteRows& stored) {
        return plan_changed(request, id, all, stored);
      },
      std::move(reply));
}

void InboundRoutes::remove(const http::Request& request, Reply reply) {
  if (Address(request).did == "*")
    return reply(http::error(400, "cannot_delete_catchall",
                             "the catchall * cannot be deleted: change its user instead"));
  table_.write(
      settings_.tenant_of(request.tenant),
      [request](const RouteRows& all, const RouteRows& stored) { return plan_removed(request, all, stored); },
      std::move(reply));
}

}  // namespace patchbay::sip_trunk
