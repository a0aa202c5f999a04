#include "routes/route_responses.h"

#include <patchbay/services/http_list.h>

#include <utility>

#include "routes/row_order.h"

namespace patchbay::sip_trunk {
namespace {

const char* source_name(Source source) {
  switch (source) {
    case Source::config:
      return "config";
    case Source::api:
      return "api";
    case Source::automatic:
      return "automatic";
  }
  return "";
}

std::string name_of(std::string_view camel, Names names) {
  std::string name(camel);
  if (names == Names::pascal) name[0] = static_cast<char>(name[0] & ~0x20);
  return name;
}

constexpr char kSource[] =
    R"({"type":"string","enum":["config","api","automatic"],"description":"config: defined by configuration, read-only; api: written over REST; automatic: the catchall until it is written"})";
constexpr char kPositionReply[] =
    R"({"type":"integer","minimum":1,"description":"Place among the rows written over REST; left out for other rows and the catchall"})";

}  // namespace

void write_row(JsonWriter& out, const RouteRow& row, const RouteRows& rows, Names names) {
  out.object();
  if (row.domain == Domain::outbound) {
    out.member(name_of("match", names), row.number).key(name_of("trunkIds", names)).array();
    for (const std::string& id : row.trunk_ids()) out.value(id);
    out.end();
  } else {
    out.member(name_of("did", names), row.number);
    if (!row.caller.empty()) out.member(name_of("fromNumber", names), row.caller);
    out.member(name_of("user", names), row.target);
  }
  out.member(name_of("source", names), source_name(row.source));
  const int64_t position = row.source == Source::api ? position_of(rows, row.id) : 0;
  if (position > 0) out.member(name_of("position", names), position);
  out.end();
}

std::string row_json(const RouteRow& row, const RouteRows& rows, Names names) {
  JsonWriter out;
  write_row(out, row, rows, names);
  return std::move(out).str();
}

std::string deleted_json(const RouteRow& row, const RouteRows& rows, Names names) {
  return "{\"deleted\":" + row_json(row, rows, names) + "}";
}

std::string row_schema(Domain domain, Names names) {
  JsonWriter out;
  const bool is_outbound = domain == Domain::outbound;
  const std::string number = name_of(is_outbound ? "match" : "did", names);
  const std::string target = name_of(is_outbound ? "trunkIds" : "user", names);
  const std::string source = name_of("source", names);
  out.object().member("type", "object").key("required").array();
  out.value(number).value(target).value(source).end().key("properties").object();
  out.key(number).raw(R"({"type":"string"})");
  if (is_outbound) {
    out.key(target).raw(R"({"type":"array","items":{"type":"string"}})");
  } else {
    out.key(name_of("fromNumber", names)).raw(R"({"type":"string","description":"Left out: any caller"})");
    out.key(target).raw(R"({"type":"string"})");
  }
  out.key(source).raw(kSource).key(name_of("position", names)).raw(kPositionReply).end().end();
  return std::move(out).str();
}

std::string deleted_schema(Domain domain, Names names) {
  return R"({"type":"object","required":["deleted"],"properties":{"deleted":)" + row_schema(domain, names) +
         "}}";
}

http::Response invalid(std::string_view text) { return http::error(400, "invalid_request", text); }
http::Response no_such_route() { return http::error(404, "not_found", "no such route"); }
http::Response read_only_route() {
  return http::error(409, "read_only", "this route is defined by configuration: change it there");
}
http::Response duplicate_route(const RouteRow& stored) {
  std::string text = "there is such a route already, " + stored.number;
  if (!stored.caller.empty()) text += " from " + stored.caller;
  return http::error(409, "duplicate_route", text + ": change or delete that one");
}
http::Response too_many_routes(size_t limit) {
  return http::error(409, "conflict",
                     "a tenant has at most " + std::to_string(limit) + " of these routes: delete one first");
}

http::Response created(std::string json) {
  http::Response response = http::ok(std::move(json));
  response.status = 201;
  return response;
}

http::Response page_of(const RouteRows& rows, const http::Request& request, const std::string& siblings) {
  http::Response response = http::list_page(
      rows, request, [&](JsonWriter& body, const RouteRow& row) { write_row(body, row, rows); });
  response.body.insert(response.body.size() - 1, siblings);
  return response;
}

http::Route route_of(Domain domain, const char* method, const char* tail, const char* summary) {
  http::Route route;
  route.method = method;
  route.path = "/api.ashx/v1/" + std::string(domain_name(domain)) + tail;
  route.area = domain_name(domain);
  route.summary = summary;
  return route;
}

}  // namespace patchbay::sip_trunk
