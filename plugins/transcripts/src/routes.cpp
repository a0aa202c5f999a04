#include "routes.h"

#include <patchbay/strand.h>
#include <patchbay/utc.h>

#include <algorithm>

#include "file_name.h"
#include "list_filter.h"
#include "transcript_record.h"

namespace patchbay::transcripts {
namespace {

using http::Request;
using http::Response;

// Members that only outbound or only inbound conversations have are not required.
constexpr char kItemSchema[] = R"({"type":"object",
  "required":["callId","callerSource","startedUtc","endedUtc","durationSec","rule","outcome","tokensTotal","turnCount",
              "size","source","file"],
  "properties":{
    "callId":{"type":"string"},"callerSource":{"type":"string"},"startedUtc":{"type":"string"},
    "endedUtc":{"type":"string"},"mtimeUtc":{"type":"string"},"durationSec":{"type":"integer"},
    "rule":{"type":"string"},"phone":{"type":"string"},"displayName":{"type":"string"},
    "number":{"type":"string"},"outcome":{"type":"string"},"voice":{"type":"string"},
    "language":{"type":"string"},"model":{"type":"string"},"tokensTotal":{"type":"integer"},
    "tokensPrompt":{"type":"integer"},"turnCount":{"type":"integer"},"size":{"type":"integer"},
    "source":{"type":"string"},"file":{"type":"string"}}})";
constexpr char kTranscriptSchema[] =
    R"({"type":"object","required":["callId","startedUtc","endedUtc","turns"],
  "properties":{
    "callId":{"type":"string"},"tenant":{"type":"string"},"callerSource":{"type":"string"},
    "requestedBy":{"type":"string"},"phone":{"type":"string"},"displayName":{"type":"string"},"email":{"type":"string"},
    "number":{"type":"string"},"fromNumber":{"type":"string"},"room":{"type":"string"},
    "rule":{"type":"string"},"trunkId":{"type":"string"},"voice":{"type":"string"},
    "language":{"type":"string"},"model":{"type":"string"},"startedUtc":{"type":"string"},
    "answeredUtc":{"type":"string"},"endedUtc":{"type":"string"},"durationSec":{"type":"integer"},
    "inputTurns":{"type":"integer"},"outputTurns":{"type":"integer"},"tokensTotal":{"type":"integer"},
    "tokensPrompt":{"type":"integer"},"answered":{"type":"boolean"},"outcome":{"type":"string"},
    "errorDetail":{"type":"string"},
    "turns":{"type":"array","items":{"type":"object","required":["speaker","text","ts"],"properties":{
      "speaker":{"type":"string","enum":["AI","Caller"]},"text":{"type":"string"},"ts":{"type":"string"}}}}}})";

// Members that only outbound or only inbound conversations have are left out of the others.
constexpr char kItemMembers[] =
    "callId callerSource startedUtc@ endedUtc@ mtimeUtc@- durationSec rule phone- displayName- number- "
    "outcome "
    "voice- language- model- tokensTotal tokensPrompt- turnCount size source file";

constexpr char kAttemptQuery[] = R"({"type":"object","properties":{
    "attempt":{"type":"integer","minimum":1,"maximum":1000,"description":"Number of the attempt"}}})";

constexpr char kDeletedSchema[] =
    R"({"type":"object","required":["deleted"],"properties":{"deleted":{"type":"object",
  "required":["callId","attempt","file","startedUtc","durationSec","outcome"],"properties":{
    "callId":{"type":"string"},"attempt":{"type":"integer"},"file":{"type":"string"},"startedUtc":{"type":"string"},
    "durationSec":{"type":"integer"},"outcome":{"type":"string"}}}}})";

// A row of find_item, as shown once it is deleted.
std::string deleted_json(const Rows& rows) {
  JsonWriter out;
  out.object()
      .member("callId", rows.text(0, 0))
      .member("attempt", rows.integer(0, 1))
      .member("file", rows.text(0, 2))
      .member("startedUtc", rows.integer(0, 3) > 0 ? utc_text(rows.integer(0, 3)) : std::string())
      .member("durationSec", rows.integer(0, 4))
      .member("outcome", rows.text(0, 5))
      .end();
  return std::move(out).str();
}

Response missing() { return http::error(404, "not_found", "no such transcript"); }

}  // namespace

TranscriptRoutes::TranscriptRoutes(const Host& host, const Archive& archive, const Deletion& deletion)
    : host_(host),
      archive_(archive),
      deletion_(deletion),
      list_{Statement::find(host, "count"),
            Statement::find(host, "list"),
            kItemMembers,
            {"callId", "startedUtc", "file"}},
      find_(Statement::find(host, "find")),
      find_item_(Statement::find(host, "find_item")),
      trail_(host),
      routes_(host) {
  add_list();
  add_get();
  add_delete();
}

void TranscriptRoutes::add_list() {
  http::Route route;
  route.method = "GET";
  route.path = "/api.ashx/v1/transcripts";
  route.area = "transcripts";
  route.summary = "Lists transcripts, newest first";
  route.list = true;
  route.query_schema = R"({"type":"object","properties":{)" + std::string(lib::kCursorSchema) + R"(,
    "source":{"type":"string","enum":["vnum","outbound-ai"],"description":"vnum: office-tab as well"},
    "q":{"type":"string","maxLength":200,"description":"Part of caller, number, displayName or rule"},
    "since":{"type":"string","maxLength":40,"description":"ISO 8601: only those started then or later"}}})";
  route.reply_schema = kItemSchema;
  routes_.add(std::move(route),
              [this](const Request& request, Reply reply) { list(request, std::move(reply)); });
}

void TranscriptRoutes::add_get() {
  http::Route route;
  route.method = "GET";
  route.path = "/api.ashx/v1/transcripts/{callId}";
  route.area = "transcripts";
  route.summary = "Returns a whole transcript: of the call's latest attempt, or of ?attempt=";
  route.query_schema = kAttemptQuery;
  route.reply_schema = kTranscriptSchema;
  routes_.add(std::move(route),
              [this](const Request& request, Reply reply) { get(request, std::move(reply)); });
}

void TranscriptRoutes::add_delete() {
  http::Route route;
  route.method = "DELETE";
  route.path = "/api.ashx/v1/transcripts/{callId}";
  route.area = "transcripts";
  route.summary = "Deletes a transcript and its shares: of the call's latest attempt, or of ?attempt=";
  route.query_schema = kAttemptQuery;
  route.reply_schema = kDeletedSchema;
  routes_.add(std::move(route),
              [this](const Request& request, Reply reply) { remove(request, std::move(reply)); });
}

void TranscriptRoutes::list(const Request& request, Reply reply) {
  const auto filter = read_filter(request.query);
  if (!filter) return reply(http::error(400, "invalid_request", filter.error().text));
  reply_page(host_, list_, {request.tenant, filter->source, filter->since_ms, filter->pattern}, request,
             std::move(reply));
}

void TranscriptRoutes::get(const Request& request, Reply reply) {
  const std::string call_id(request.params.text("callId"));
  if (!is_call_id(call_id) || !is_tenant(request.tenant)) return reply(missing());
  const int64_t attempt = request.query.integer("attempt");
  query(host_, find_, {request.tenant, call_id, attempt},
        [this, tenant = request.tenant, reply = std::move(reply)](const Result<Rows>& rows) mutable {
          if (!rows) return reply(rows.error());
          if (rows->empty()) return reply(missing());
          read(std::move(tenant), std::string(rows->text(0, 0)), std::move(reply));
        });
}

void TranscriptRoutes::remove(const Request& request, Reply reply) {
  const std::string call_id(request.params.text("callId"));
  if (!is_call_id(call_id) || !is_tenant(request.tenant)) return reply(missing());
  query(host_, find_item_, {request.tenant, call_id, request.query.integer("attempt")},
        alive_.bind([this, request, call_id, reply = std::move(reply)](const Result<Rows>& rows) mutable {
          if (!rows) return reply(rows.error());
          if (rows->empty()) return reply(missing());
          const std::string before = deleted_json(*rows);
          const std::string file(rows->text(0, 2));
          Transaction tx(host_);
          deletion_.add_to(tx, request.tenant, call_id, rows->integer(0, 1), file, true);
          trail_.commit(std::move(tx), audit::record_of(request, "transcript.deleted", file, before, ""),
                        [before, reply = std::move(reply)](const Commit& outcome) mutable {
                          if (outcome.code() == Code::conflict) return reply(missing());
                          if (!outcome) return reply(outcome.error());
                          reply(http::ok("{\"deleted\":" + before + "}"));
                        });
        }));
}

void TranscriptRoutes::read(std::string tenant, std::string file, Reply reply) {
  // Shared, because a refused task is destroyed with its reply.
  auto shared = std::make_shared<Reply>(std::move(reply));
  const Status taken = post_worker(host_, [this, tenant = std::move(tenant), file = std::move(file), shared] {
    auto text = archive_.read(tenant, file);
    if (!text)
      Log(host_).error("the file of a transcript cannot be read",
                       {{"file", file}, {"why", text.error().text}});
    (*shared)(text ? Result<Response>(http::ok(*std::move(text))) : Result<Response>(text.error()));
  });
  if (!taken) (*shared)(taken.error());
}

}  // namespace patchbay::transcripts
