#include "routes.h"

#include <patchbay/hex.h>

#include "crypto/digest.h"
#include "number/number.h"
#include "rate/address_key.h"
#include "signature.h"
#include "whitelist_limits.h"

namespace patchbay::whitelist {
namespace {

constexpr char kAddBody[] = R"({"type": "object", "required": ["number"], "properties": {
  "number": {"type": "string", "minLength": 1, "maxLength": 32, "example": "+4930123456"},
  "comment": {"type": ["string", "null"]}}})";

constexpr char kWriteBody[] = R"({"type": "object", "required": ["numbers"], "properties": {
  "numbers": {"type": "array", "items": {"type": "object", "required": ["number"], "properties": {
    "number": {"type": "string", "minLength": 1, "maxLength": 32, "example": "+4930123456"},
    "comment": {"type": ["string", "null"]}}}}}})";

constexpr char kListReply[] =
    R"({"type": "object", "required": ["tenant", "numbers", "count"], "properties": {"tenant": {"type": "string"},
  "numbers": {"type": "array", "items": {"type": "object", "required": ["number", "comment"], "properties": {
    "number": {"type": "string"}, "comment": {"type": "string"}}}}, "count": {"type": "integer"}}})";
constexpr char kAddReply[] =
    R"({"type": "object", "required": ["ok", "tenant", "number", "comment", "added", "count"],
  "properties": {"ok": {"type": "boolean"}, "tenant": {"type": "string"}, "number": {"type": "string"},
    "comment": {"type": "string"}, "added": {"type": "boolean"}, "count": {"type": "integer"}}})";
constexpr char kWriteReply[] =
    R"({"type": "object", "required": ["ok", "tenant", "count"], "properties": {"ok": {"type": "boolean"},
  "tenant": {"type": "string"}, "count": {"type": "integer"}}})";
constexpr char kWriteQuery[] = R"({"type": "object", "properties": {"confirmEmpty": {"type": "string",
  "description": "1: replaces all numbers by none, which forbids every dial"}}})";

// For rest-api these routes need no bearer; authorize() checks the credentials.
constexpr char kDocuments[] =
    R"({"security": {"bearer": null, "adminSignature": {"type": "apiKey", "in": "header",
    "name": "X-Platform-Admin-Signature",
    "description": "Hex HMAC-SHA256 of the canonical string under the tenant's AdminSharedSecret"}},
  "statuses": {"401": "The bearer or the signature is missing or wrong",
               "403": "The bearer is not an admin's, or of another tenant",
               "429": "Too many wrong signatures; Retry-After says when to try again",
               "503": "The tenant has no AdminSharedSecret, or is not known"})";

constexpr char kRemoved[] =
    R"({"type": "object", "required": ["deleted"], "properties": {"deleted": {"type": "object",
  "required": ["number", "comment"], "properties": {"number": {"type": "string"}, "comment": {"type": "string"}}}}})";

// The actor of a request is not its bearer's user, because these routes check their credentials.
audit::Record record_of(const http::Request& request, const std::string& actor) {
  audit::Record record = audit::record_of(request, "", "", "", "");
  record.actor = actor;
  return record;
}

http::Response refused(const Refusal& refusal) {
  http::Response response = http::message_error(refusal.status, refusal.text);
  if (refusal.status == 401) response.headers.add("WWW-Authenticate", "Bearer");
  if (refusal.status == 429) response.headers.add("Retry-After", std::to_string(refusal.retry_after_sec));
  return response;
}

}  // namespace

WhitelistRoutes::WhitelistRoutes(const Host& host, Authorizer& authorizer, EntryStore& entries)
    : host_(&host),
      authorizer_(authorizer),
      entries_(entries),
      log_(host),
      refused_(Metric::counter(host, "patchbay_whitelist_requests_refused_total",
                               "Requests to the whitelist endpoints that were not authorized")),
      routes_(host) {}

http::Response WhitelistRoutes::not_applied(const http::Request& request, const Error& error) const {
  if (error.code == Code::invalid) return http::message_error(400, error.text);
  log_.with(request.correlation)
      .error("the whitelist could not be written", {{"tenant", request.tenant}, {"why", error.text}});
  return http::message_error(500, "the whitelist could not be written; the change was not applied");
}

Status WhitelistRoutes::open() {
  PB_TRY_VALUE(add_body_, Schema::compile(*host_, kAddBody));
  PB_TRY_VALUE(write_body_, Schema::compile(*host_, kWriteBody));
  route(
      "GET", "list", "Lists the numbers that may be dialled, in the operator's order",
      R"({"reply": {"tenant": "voice.example.com", "numbers": [{"number": "+4930123456", "comment": "Office"}],
            "count": 1}})",
      "", kListReply, &WhitelistRoutes::list);
  route("POST", "add", "Adds one number; an existing one only gets the comment",
        R"({"request": {"number": "+4930123456", "comment": "Office"}, "reply": {"ok": true, "tenant":
            "voice.example.com", "number": "+4930123456", "comment": "Office", "added": true, "count": 1}})",
        kAddBody, kAddReply, &WhitelistRoutes::add);
  route("POST", "write", "Replaces all numbers; an empty list needs confirmEmpty=1",
        R"({"request": {"numbers": [{"number": "+4930123456", "comment": "Office"}]},
            "reply": {"ok": true, "tenant": "voice.example.com", "count": 1}})",
        kWriteBody, kWriteReply, &WhitelistRoutes::write);
  add_removal();
  routes_.open();
  return {};
}

void WhitelistRoutes::add_removal() {
  http::Route route;
  route.method = "DELETE";
  route.path = "/api.ashx/v1/admin/whitelist/{number}";
  route.area = "whitelist";
  route.summary = "Removes one number, however it is written";
  route.example = R"({"reply": {"deleted": {"number": "+4930123456", "comment": "Office"}}})";
  route.reply_schema = kRemoved;
  routes_.add(std::move(route),
              [this](const http::Request& request, Reply reply) { remove(request, std::move(reply)); });
}

// Lets the handler check bearer and body, because the order of errors here is 503, 401 and 403, 400.
void WhitelistRoutes::route(const char* method, const char* verb, const char* summary, const char* example,
                            const char* request_schema, const char* reply_schema, Serve serve) {
  http::Route route;
  route.method = method;
  route.path = "/signal.ashx";
  route.discriminator = std::string("whitelist=") + verb;
  route.role = "none";
  route.area = "whitelist";
  route.summary = summary;
  route.example = example;
  route.message_errors = true;
  route.reply_schema = reply_schema;
  route.documents =
      std::string(kDocuments) + (*request_schema ? R"(, "requestSchema": )" : "") + request_schema + "}";
  if (std::string_view(verb) == "write") {
    route.query_schema = kWriteQuery;
    route.max_body_bytes = kMaxWriteBodyBytes;
  }
  routes_.add(std::move(route), [this, verb, serve](const http::Request& request, Reply reply) {
    authorize(verb, request, serve, std::move(reply));
  });
}

void WhitelistRoutes::authorize(const char* verb, const http::Request& request, Serve serve, Reply reply) {
  if (request.listener == "local") return (this->*serve)(request, request.username, std::move(reply));
  Credentials credentials;
  credentials.tenant = request.tenant;
  credentials.authorization = request.headers.text("authorization");
  credentials.signature = request.headers.text("x-platform-admin-signature");
  credentials.canonical = request.method == "GET" ? canonical(verb, request.tenant)
                                                  : canonical(verb, request.tenant, request.body.size());
  credentials.remote = request.remote;
  authorizer_.authorize(credentials, [this, request, serve, reply = std::move(reply)](
                                         const Refusal& refusal, const std::string& actor) mutable {
    if (refusal.status == 0) return (this->*serve)(request, actor, std::move(reply));
    refused_.add();
    // Limits the log lines of one address; the metric counts all refusals.
    if (lines_.take(lib::address_key(request.remote), host_->mono_ns()) == 0)
      log_.with(request.correlation)
          .warn("a whitelist request was refused", {{"tenant", request.tenant},
                                                    {"remote", request.remote},
                                                    {"status", refusal.status},
                                                    {"why", refusal.text}});
    reply(refused(refusal));
  });
}

void WhitelistRoutes::list(const http::Request& request, const std::string&, Reply reply) {
  entries_.list(request.tenant, [tenant = request.tenant, reply = std::move(reply)](
                                    const Result<std::vector<Entry>>& entries) mutable {
    if (!entries) return reply(http::message_error(500, "the whitelist could not be read"));
    JsonWriter body;
    body.object().member("tenant", tenant).key("numbers").array();
    for (const Entry& entry : *entries)
      body.object().member("number", entry.number).member("comment", entry.comment).end();
    body.end().member("count", entries->size()).end();
    reply(http::ok(std::move(body).str()));
  });
}

void WhitelistRoutes::add(const http::Request& request, const std::string& actor, Reply reply) {
  const auto body = add_body_.read(request.body.view());
  if (!body) return reply(http::message_error(400, body.error().text));
  const JsonView comment = (*body)["comment"];
  entries_.add(
      request.tenant, std::string((*body)["number"].text()),
      comment.is_string() ? std::optional(std::string(comment.text())) : std::nullopt,
      record_of(request, actor),
      alive_.bind([this, request, actor, reply = std::move(reply)](const Result<AddResult>& result) mutable {
        if (!result) return reply(not_applied(request, result.error()));
        log_change(result->added ? "whitelist: number added" : "whitelist: number was there", request, actor,
                   result->count);
        JsonWriter answer;
        answer.object().member("ok", true).member("tenant", request.tenant);
        answer.member("number", result->entry.number).member("comment", result->entry.comment);
        answer.member("added", result->added).member("count", result->count).end();
        reply(http::ok(std::move(answer).str()));
      }));
}

void WhitelistRoutes::write(const http::Request& request, const std::string& actor, Reply reply) {
  const auto entries = read_entries(request);
  if (!entries) return reply(http::message_error(400, entries.error().text));
  entries_.write(
      request.tenant, *entries, record_of(request, actor),
      alive_.bind([this, request, actor, reply = std::move(reply)](const Result<int64_t>& count) mutable {
        if (!count) return reply(not_applied(request, count.error()));
        log_change("whitelist: all numbers replaced", request, actor, *count);
        JsonWriter answer;
        answer.object().member("ok", true).member("tenant", request.tenant).member("count", *count).end();
        reply(http::ok(std::move(answer).str()));
      }));
}

void WhitelistRoutes::remove(const http::Request& request, Reply reply) {
  entries_.remove(
      request.tenant, std::string(request.params.text("number")), record_of(request, request.username),
      alive_.bind(
          [this, request, reply = std::move(reply)](const Result<std::optional<Entry>>& removed) mutable {
            if (!removed && removed.error().code != Code::invalid) return reply(removed.error());
            if (!removed || !*removed)  // what is no number cannot be listed
              return reply(http::error(404, "not_found", "this number is not on the whitelist"));
            log_.with(request.correlation)
                .info("whitelist: number removed",
                      {{"tenant", request.tenant}, {"actor", request.username}, {"remote", request.remote}});
            JsonWriter answer;
            answer.object().key("deleted").object();
            answer.member("number", (*removed)->number).member("comment", (*removed)->comment).end().end();
            reply(http::ok(std::move(answer).str()));
          }));
}

Result<std::vector<Entry>> WhitelistRoutes::read_entries(const http::Request& request) const {
  PB_TRY_VALUE(const Json body, write_body_.read(request.body.view()));
  const JsonView numbers = body["numbers"];
  std::vector<Entry> entries;
  entries.reserve(numbers.size());
  for (size_t i = 0; i < numbers.size(); ++i) {
    const JsonView item = numbers.at(i);
    Entry entry{std::string(item.text("number", {})), std::string(item.text("comment", {}))};
    if (auto normal = lib::normalise_number(entry.number); !normal)
      return std::move(normal).error().within("numbers[" + std::to_string(i) + "].number");
    entries.push_back(std::move(entry));
  }
  if (entries.empty()) {
    if (request.query.text("confirmEmpty") != "1")
      return {Code::invalid, "numbers is empty: add confirmEmpty=1 to the query to forbid every number"};
  }
  return entries;
}

// Logs the hash of the body, because the signature does not cover it.
void WhitelistRoutes::log_change(const char* what, const http::Request& request, const std::string& actor,
                                 int64_t count) const {
  log_.with(request.correlation)
      .info(what, {{"tenant", request.tenant},
                   {"actor", actor},
                   {"remote", request.remote},
                   {"count", count},
                   {"body_sha256", to_hex(lib::sha256(request.body.view()))}});
}

}  // namespace patchbay::whitelist
