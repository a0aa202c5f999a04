#include "routes.h"

#include <utility>

#include "number_json.h"
#include "number_limits.h"

namespace patchbay::numbers {
namespace {

constexpr const char* kListPath = "/api.ashx/v1/numbers";
constexpr std::string_view kAdminPath = "/api.ashx/v1/admin/numbers";

constexpr char kCreated[] =
    R"({"statuses": {"201": "Created", "409": "conflict: the tenant has this number, or 10,000 numbers, already"}})";
constexpr char kConflicts[] =
    R"({"statuses": {"409": "read_only: defined by configuration; conflict: changed meanwhile"}})";
constexpr char kExample[] =
    R"({"request": {"name": "Reception", "number": "+49 30 123450", "systemPrompt": "You are the reception of Example Ltd."},
  "reply": {"name": "Reception", "number": "+4930123450", "mode": "live-voice-ai", "user": "", "voice": "Aoede",
    "language": "en-US", "model": "", "systemPrompt": "You are the reception of Example Ltd.", "apiKey": "",
    "greeting": "", "saveTranscripts": true, "maxDurationSec": 3500, "visibility": "signed-in",
    "transferTargets": [], "transferBy": "", "source": "api"}})";
constexpr char kListExample[] =
    R"({"reply": {"data": [{"name": "Reception", "number": "+4930123450", "mode": "live-voice-ai", "user": "",
    "voice": "Aoede", "language": "en-US", "model": "", "systemPrompt": "You are the reception of Example Ltd.",
    "apiKey": "", "greeting": "", "saveTranscripts": true, "maxDurationSec": 3500, "visibility": "public",
    "transferTargets": ["alice"], "transferBy": "", "source": "config"}], "tenant": "voice.example.com", "total": 1, "limit": 50,
    "offset": 0, "next": null}})";
constexpr char kChangeExample[] = R"({"request": {"mode": "disabled"}})";

http::Response refused(std::string_view text) { return http::error(400, "invalid_request", text); }

http::Route admin_route(const char* method, std::string_view tail, const char* summary) {
  http::Route route;
  route.method = method;
  route.path = std::string(kAdminPath).append(tail);
  route.area = "numbers";
  route.summary = summary;
  route.reply_schema = record_schema();
  return route;
}

http::Route list_route(const char* path) {
  http::Route route;
  route.method = "GET";
  route.path = path;
  route.area = "numbers";
  route.summary = "Lists the tenant's virtual numbers: the configured ones, then the others";
  route.list = true;
  route.reply_schema = record_schema();
  route.example = kListExample;
  route.documents = R"({"siblings": {"tenant": {"type": "string"}}})";
  return route;
}

}  // namespace

NumberRoutes::NumberRoutes(const Host& host, const Log& log, NumberDirectory& directory, NumberStore& store)
    : host_(host), log_(log), directory_(directory), store_(store), trail_(host), routes_(host) {
  add(list_route(kListPath), &NumberRoutes::list);
  add(list_route(std::string(kAdminPath).c_str()), &NumberRoutes::list);
  add(admin_route("GET", "/{number}", "Returns one virtual number"), &NumberRoutes::get);
  http::Route make = admin_route("POST", "", "Creates a virtual number");
  make.request_schema = create_schema();
  make.documents = kCreated;
  make.example = kExample;
  make.max_body_bytes = kMaxBodyBytes;
  add(std::move(make), &NumberRoutes::create);
  http::Route change = admin_route("PATCH", "/{number}", "Changes the members of the body; its number stays");
  change.request_schema = change_schema();
  change.documents = kConflicts;
  change.example = kChangeExample;
  change.max_body_bytes = kMaxBodyBytes;
  add(std::move(change), &NumberRoutes::change);
  http::Route remove = admin_route("DELETE", "/{number}", "Deletes a virtual number");
  remove.reply_schema = deleted_schema();
  remove.documents = kConflicts;
  add(std::move(remove), &NumberRoutes::remove);
}

void NumberRoutes::add(http::Route route, Handle handle) {
  routes_.add(std::move(route), [this, handle](const http::Request& request, Reply reply) {
    (this->*handle)(request, std::move(reply));
  });
}

void NumberRoutes::list(const http::Request& request, Reply reply) {
  directory_.list(
      request.tenant, request.limit, request.offset,
      [tenant = request.tenant, reply = std::move(reply)](const Result<NumberDirectory::Page>& page) mutable {
        if (!page) return reply(page.error());
        JsonWriter body;
        body.object().key("data").array();
        for (const VirtualNumber& number : page->numbers) write_number(body, number);
        body.end().member("tenant", tenant).end();
        http::Response response = http::ok(std::move(body).str());
        response.total = page->total;
        reply(std::move(response));
      });
}

void NumberRoutes::get(const http::Request& request, Reply reply) {
  directory_.find(request.tenant, std::string(request.params.text("number")),
                  [reply = std::move(reply)](const Result<VirtualNumber>& number) mutable {
                    if (number) return reply(http::ok(number_json(*number)));
                    if (number.error().code != Code::not_found) return reply(number.error());
                    reply(http::error(404, "not_found", "no such number"));
                  });
}

void NumberRoutes::create(const http::Request& request, Reply reply) {
  if (!directory_.settings().has_tenant(request.tenant))
    return reply(refused("tenant is missing, or not configured: name one with ?tenant="));
  VirtualNumber number;
  auto normal = normalise(request.json().text("number", ""));
  if (!normal) return reply(refused(normal.error().text));
  number.number = *std::move(normal);
  read_members(number, request.json());
  if (const Status complete = check(number); !complete) return reply(refused(complete.error().text));
  if (directory_.settings().find(request.tenant, number.number) != nullptr)
    return reply(http::error(409, "conflict", "the configuration defines this number"));
  store_.count(request.tenant, alive_.bind([this, request, number = std::move(number),
                                            reply = std::move(reply)](const Result<int64_t>& count) mutable {
    if (!count) return reply(count.error());
    if (*count >= kMaxNumbersPerTenant)
      return reply(http::error(409, "conflict", "a tenant has at most 10,000 numbers: delete one first"));
    insert(request, std::move(number), std::move(reply));
  }));
}

void NumberRoutes::insert(const http::Request& request, VirtualNumber number, Reply reply) {
  Transaction tx(host_);
  if (const Status added = store_.add(tx, request.tenant, number); !added) return reply(added.error());
  http::Response response = http::ok(number_json(number));
  response.status = 201;
  commit(std::move(tx), request,
         audit::record_of(request, "number.created", number.number, "", audit_json(number)),
         "the tenant has this number already", std::move(response), std::move(reply));
}

void NumberRoutes::find_writable(const http::Request& request, Reply reply,
                                 Function<void(VirtualNumber, Reply)> next) {
  directory_.find(
      request.tenant, std::string(request.params.text("number")),
      alive_.bind([reply = std::move(reply), next = std::move(next)](Result<VirtualNumber> number) mutable {
        if (!number && number.error().code != Code::not_found) return reply(number.error());
        if (!number) return reply(http::error(404, "not_found", "no such number"));
        if (number->from_config)
          return reply(
              http::error(409, "read_only", "this number is defined by configuration: change it there"));
        next(*std::move(number), std::move(reply));
      }));
}

void NumberRoutes::change(const http::Request& request, Reply reply) {
  find_writable(request, std::move(reply), [this, request](const VirtualNumber& before, Reply to) {
    const JsonView body = request.json();
    if (const JsonView same = body["number"]; same.is_string()) {
      const auto normal = normalise(same.text());
      if (!normal || *normal != before.number)
        return to(refused("number cannot be changed: create another number, and delete this one"));
    }
    VirtualNumber after = before;
    read_members(after, body);
    if (const Status complete = check(after); !complete) return to(refused(complete.error().text));
    if (audit_json(after) == audit_json(before) && after.api_key == before.api_key)
      return to(http::ok(number_json(before)));
    update(request, before, std::move(after), std::move(to));
  });
}

void NumberRoutes::update(const http::Request& request, const VirtualNumber& before, VirtualNumber after,
                          Reply reply) {
  Transaction tx(host_);
  if (const Status changed = store_.change(tx, request.tenant, after); !changed)
    return reply(changed.error());
  const bool key_replaced = !after.api_key.empty() && after.api_key != before.api_key;
  commit(std::move(tx), request,
         audit::record_of(request, "number.changed", after.number, audit_json(before),
                          audit_json(after, key_replaced)),
         "the number was changed meanwhile: try again", http::ok(number_json(after)), std::move(reply));
}

void NumberRoutes::remove(const http::Request& request, Reply reply) {
  find_writable(request, std::move(reply), [this, request](const VirtualNumber& number, Reply to) {
    Transaction tx(host_);
    store_.remove(tx, request.tenant, number);
    commit(std::move(tx), request,
           audit::record_of(request, "number.deleted", number.number, audit_json(number), ""),
           "the number was changed meanwhile: try again",
           http::ok("{\"deleted\":" + number_json(number) + "}"), std::move(to));
  });
}

void NumberRoutes::commit(Transaction tx, const http::Request& request, audit::Record record,
                          std::string_view conflict, http::Response response, Reply reply) {
  const NameValues about{{"what", record.action}, {"number", record.object}};
  trail_.commit(std::move(tx), std::move(record),
                alive_.bind([this, about, request, conflict, response = std::move(response),
                             reply = std::move(reply)](const Commit& outcome) mutable {
                  if (!outcome && outcome.code() == Code::conflict)
                    return reply(http::error(409, "conflict", conflict));
                  if (!outcome) return reply(outcome.error());
                  log_.with(request.correlation)
                      .info("virtual numbers changed", {{"what", about.text("what")},
                                                        {"number", about.text("number")},
                                                        {"tenant", request.tenant},
                                                        {"by", request.username}});
                  reply(std::move(response));
                }));
}

}  // namespace patchbay::numbers
