#include "audit_routes.h"

#include <patchbay/utc.h>

#include "audit_id.h"
#include "page/page_cursor.h"

namespace patchbay::rest_api {
namespace {

constexpr char kQuery[] = R"({"type":"object","properties":{
  "cursor":{"type":"string","pattern":"^[0-9a-f]{24}$","description":"Where the page begins; only as `next` of the page before has it"},
  "actor":{"type":"string","maxLength":200,"description":"Only changes by this user name, key:<name>, or operator"},
  "action":{"type":"string","maxLength":200,
    "description":"Only actions that begin so: webhook.created, or webhook. for all of webhooks"},
  "object":{"type":"string","maxLength":512,"description":"Only changes of the object with this id"},
  "since":{"type":"string","maxLength":40,"description":"ISO 8601: only changes made then or later"},
  "until":{"type":"string","maxLength":40,"description":"ISO 8601: only changes made before"},
  "scope":{"type":"string","enum":["tenant","server"],"default":"tenant",
    "description":"server: changes that belong to no tenant; only for admins of the primary tenant"}}})";

constexpr char kItem[] = R"({"type":"object",
  "required":["id","timeUtc","tenant","actor","remote","action","object","before","after","correlation"],
  "properties":{
    "id":{"type":"string","description":"The order of ids is that of time"},
    "timeUtc":{"type":"string"},
    "tenant":{"type":"string","description":"Whose object it is; empty: the server's"},
    "actor":{"type":"string","description":"User name, key:<name>, or operator for the admin socket"},
    "remote":{"type":"string","description":"Address of the client; unix for the admin socket"},
    "action":{"type":"string"},"object":{"type":"string"},
    "before":{"description":"The object before the change, null if there was none. Without secrets; {omitted, bytes} if it was large"},
    "after":{"description":"The object after the change, null if there is none. Without secrets; {omitted, bytes} if it is large"},
    "correlation":{"type":"string","description":"X-Request-Id of the request"}}})";

constexpr char kExample[] = R"({"reply":{"data":[{"id":"019a9cb9f0f80000c1d2e3f4",
  "timeUtc":"2026-01-31T12:00:00.000Z","tenant":"voice.example.com","actor":"eva","remote":"192.0.2.1",
  "action":"whitelist.added","object":"+4930123456","before":null,
  "after":{"number":"+4930123456","comment":"Office"},"correlation":"0123456789abcdef"}],
  "total":1,"limit":50,"offset":0,"next":null}})";

constexpr char kAfterAllIds[] = "g";  // greater than every hexadecimal id

// The first id of the time in a parameter; `otherwise` without it.
Result<std::string> bound(const NameValues& query, const char* name, const char* otherwise) {
  const auto text = query.find(name);
  if (!text) return std::string(otherwise);
  const auto time_ms = parse_utc(*text);
  if (!time_ms) return {Code::invalid, std::string(name) + " must be a time such as 2026-01-31T12:00:00Z"};
  return first_audit_id(*time_ms);
}

Result<std::string> until_of(const NameValues& query) { return bound(query, "until", kAfterAllIds); }

// The parameters of both statements.
Result<Values> filter_of(const http::Request& request) {
  const NameValues& query = request.query;
  PB_TRY_VALUE(const std::string since, bound(query, "since", ""));
  PB_TRY_VALUE(const std::string until, until_of(query));
  const bool of_server = query.text("scope") == "server";
  return Values{of_server ? std::string() : request.tenant,
                since,
                until,
                query.text("actor"),
                query.text("action"),
                query.text("object")};
}

void write_value(JsonWriter& out, const Rows& rows, size_t row, size_t column) {
  rows.is_null(row, column) ? out.null() : out.raw(rows.text(row, column));
}

std::string write_items(const Rows& rows, size_t count) {
  JsonWriter out;
  out.object().key("data").array();
  for (size_t row = 0; row < count; ++row) {
    out.object().member("id", rows.text(row, 0)).member("timeUtc", utc_text(rows.integer(row, 1)));
    out.member("tenant", rows.text(row, 2)).member("actor", rows.text(row, 3));
    out.member("remote", rows.text(row, 4)).member("action", rows.text(row, 5));
    out.member("object", rows.text(row, 6));
    write_value(out.key("before"), rows, row, 7);
    write_value(out.key("after"), rows, row, 8);
    out.member("correlation", rows.text(row, 9)).end();
  }
  out.end().end();
  return std::move(out).str();
}

}  // namespace

AuditRoutes::AuditRoutes(const Host& host)
    : host_(host),
      count_(Statement::find(host, "audit-count")),
      list_(Statement::find(host, "audit-list")),
      routes_(host) {
  http::Route route;
  route.method = "GET";
  route.path = "/api.ashx/v1/admin/audit";
  route.area = "audit";
  route.summary = "Lists who changed what, newest first";
  route.list = true;
  route.query_schema = kQuery;
  route.reply_schema = kItem;
  route.example = kExample;
  routes_.add(std::move(route),
              [this](const http::Request& request, Reply reply) { list(request, std::move(reply)); });
}

void AuditRoutes::list(const http::Request& request, Reply reply) {
  if (request.query.text("scope") == "server" && !request.is_super)
    return reply(http::error(403, "insufficient_role", "scope=server needs an admin of the primary tenant"));
  auto values = filter_of(request);
  if (!values) return reply(http::error(400, "invalid_request", values.error().text));
  query_number(
      host_, count_, *values,
      [this, values = *values, request, reply = std::move(reply)](const Result<int64_t>& total) mutable {
        if (!total) return reply(total.error());
        page(std::move(values), request, *total, std::move(reply));
      });
}

// Ids are in the order of time, so the id of a page's last record is the end of the range of the next one. A
// page after a cursor is read with one record more, which shows whether there is a next one.
void AuditRoutes::page(Values values, const http::Request& request, int64_t total, Reply reply) {
  const std::string_view cursor = request.query.text("cursor");
  const lib::PagePosition after =
      cursor.empty() ? lib::PagePosition{} : lib::PagePosition{0, std::string(cursor)};
  const auto until = until_of(request.query);
  if (!after.is_begin() && until && after.id < *until) values[2] = after.id;
  values.emplace_back(lib::rows_to_read(after, request.limit));
  values.emplace_back(after.is_begin() ? request.offset : 0);
  query(host_, list_, values,
        [total, after, limit = request.limit, offset = request.offset,
         reply = std::move(reply)](const Result<Rows>& rows) mutable {
          if (!rows) return reply(rows.error());
          const auto end = lib::page_end(after, rows->size(), limit, offset, total);
          http::Response response = http::ok(write_items(*rows, end.count));
          response.total = total;
          if (end.has_next) response.next_cursor = rows->text(end.count - 1, 0);
          reply(std::move(response));
        });
}

}  // namespace patchbay::rest_api
