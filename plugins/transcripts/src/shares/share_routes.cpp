#include "shares/share_routes.h"

#include <patchbay/random_id.h>

#include <utility>

#include "transcript_limits.h"

namespace patchbay::transcripts {
namespace {

using http::Request;
using http::Response;

constexpr char kSharesPath[] = "/api.ashx/v1/admin/shares";
constexpr char kCreateBody[] = R"({"type":"object","required":["file"],"properties":{
  "file":{"type":"string","minLength":1,"maxLength":100,"description":"Of a transcript's list item"},
  "ttlHours":{"type":"integer","minimum":0,"maximum":8760,"default":168,
    "description":"Hours until the link expires; 0: never. By default a week"}}})";
constexpr char kCreateExample[] =
    R"({"request":{"file":"oac-0123456789ab.json","ttlHours":24},
  "reply":{"id":"shr-0123456789abcdef","token":"Vw3...","path":"/share/Vw3...","file":"oac-0123456789ab.json",
    "callId":"oac-0123456789ab","attempt":1,"ttlHours":24,"createdAtUtc":"2026-11-20T08:15:00.000Z",
    "createdBy":"alice","expiresUtc":"2026-11-21T08:15:00.000Z","views":0,"lastViewedUtc":null}})";
constexpr char kNoTranscript[] = "no such transcript";
constexpr int64_t kHourMs = 3'600'000;

http::Route share_route(const char* method, std::string path, const char* summary) {
  http::Route route;
  route.method = method;
  route.path = std::move(path);
  route.area = "shares";
  route.summary = summary;
  return route;
}

std::string name_of(const Request& request) {
  return request.username.empty() ? request.subject : request.username;
}

NewEvent share_event(const Request& request, const Share& share, const char* topic, std::string data) {
  NewEvent event;
  event.topic = topic;
  event.tenant = share.tenant;
  event.subject = share.file;
  event.correlation = request.correlation;
  event.payload = std::move(data);
  return event;
}

Result<Response> failed(const Commit& outcome, const char* conflict_text) {
  if (outcome.code() == Code::conflict) return http::error(404, "not_found", conflict_text);
  return outcome.error();
}

}  // namespace

ShareRoutes::ShareRoutes(const Host& host)
    : host_(host),
      list_{Statement::find(host, "share_count"),
            Statement::find(host, "share_list"),
            share_members(),
            {"id", "createdAtUtc", "id"}},
      find_transcript_(Statement::find(host, "share_transcript")),
      insert_(Statement::find(host, "share_insert")),
      get_(Statement::find(host, "share_get")),
      delete_(Statement::find(host, "share_delete")),
      trail_(host),
      routes_(host) {
  add_create();
  add_list();
  add_revoke();
}

void ShareRoutes::add_create() {
  http::Route route =
      share_route("POST", kSharesPath, "Creates a public link to a transcript; its token is shown once");
  route.request_schema = kCreateBody;
  route.reply_schema = share_schema(true);
  route.example = kCreateExample;
  route.documents =
      R"({"statuses":{"201":"Created","404":"not_found: the tenant has no transcript of that file"}})";
  routes_.add(std::move(route),
              [this](const Request& request, Reply reply) { create(request, std::move(reply)); });
}

void ShareRoutes::add_list() {
  http::Route route =
      share_route("GET", kSharesPath, "Lists the links that are neither revoked nor expired, newest first");
  route.list = true;
  route.query_schema = R"({"type":"object","properties":{)" + std::string(lib::kCursorSchema) + "}}";
  route.reply_schema = share_schema();
  routes_.add(std::move(route),
              [this](const Request& request, Reply reply) { list(request, std::move(reply)); });
}

void ShareRoutes::add_revoke() {
  http::Route route = share_route("DELETE", std::string(kSharesPath) + "/{id}",
                                  "Revokes a link: its page is 404 from then on");
  route.reply_schema =
      R"({"type":"object","required":["deleted"],"properties":{"deleted":)" + share_schema() + "}}";
  routes_.add(std::move(route),
              [this](const Request& request, Reply reply) { revoke(request, std::move(reply)); });
}

void ShareRoutes::create(const Request& request, Reply reply) {
  if (request.tenant.empty())
    return reply(http::error(400, "invalid_request", "tenant is missing: name it with ?tenant="));
  Share share;
  share.tenant = request.tenant;
  share.file = request.json().text("file", "");
  share.ttl_hours = request.json().integer("ttlHours", 0);
  share.created_ms = host_.wall_ms();
  share.created_by = name_of(request);
  if (share.ttl_hours > 0) share.expires_ms = share.created_ms + share.ttl_hours * kHourMs;
  query(host_, find_transcript_, {share.tenant, share.file},
        alive_.bind([this, request, share, reply = std::move(reply)](const Result<Rows>& rows) mutable {
          if (!rows) return reply(rows.error());
          if (rows->empty()) return reply(http::error(404, "not_found", kNoTranscript));
          share.call_id = rows->text(0, 0);
          share.attempt = rows->integer(0, 1);
          store(request, std::move(share), std::move(reply));
        }));
}

void ShareRoutes::store(const Request& request, Share share, Reply reply) {
  auto id = random_id("shr-", 16);
  auto token = new_share_token();
  if (!id) return reply(id.error());
  if (!token) return reply(token.error());
  share.id = *std::move(id);
  share.masked_token = masked_share_token(*token);
  Transaction tx(host_);
  tx.exec(insert_,
          {share.id, share.tenant, share_token_hash(*token), share.masked_token, share.call_id, share.attempt,
           share.ttl_hours, share.created_ms, share.created_by, share.expires_ms},
          1);
  tx.emit(share_event(request, share, "share.created", share_created_data(share)));
  trail_.commit(std::move(tx), audit::record_of(request, "share.created", share.id, "", share_json(share)),
                [body = share_json(share, *token), reply = std::move(reply)](const Commit& outcome) mutable {
                  if (!outcome) return reply(failed(outcome, kNoTranscript));
                  Response response = http::ok(std::move(body));
                  response.status = 201;
                  reply(std::move(response));
                });
}

void ShareRoutes::list(const Request& request, Reply reply) {
  reply_page(host_, list_, {request.tenant, host_.wall_ms()}, request, std::move(reply));
}

void ShareRoutes::revoke(const Request& request, Reply reply) {
  query(host_, get_, {request.tenant, host_.wall_ms(), request.params.text("id")},
        alive_.bind([this, request, reply = std::move(reply)](const Result<Rows>& rows) mutable {
          if (!rows) return reply(rows.error());
          if (rows->empty()) return reply(http::error(404, "not_found", "no such share"));
          revoke_share(request, read_share(*rows, 0), std::move(reply));
        }));
}

void ShareRoutes::revoke_share(const Request& request, const Share& share, Reply reply) {
  Transaction tx(host_);
  tx.exec(delete_, {share.tenant, share.id}, 1);
  tx.emit(share_event(request, share, "share.revoked", share_revoked_data(share, name_of(request))));
  const std::string before = share_json(share);
  trail_.commit(std::move(tx), audit::record_of(request, "share.revoked", share.id, before, ""),
                [before, reply = std::move(reply)](const Commit& outcome) mutable {
                  if (!outcome) return reply(failed(outcome, "no such share"));
                  reply(http::ok("{\"deleted\":" + before + "}"));
                });
}

}  // namespace patchbay::transcripts
