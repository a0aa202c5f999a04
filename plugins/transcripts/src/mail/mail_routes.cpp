#include "mail/mail_routes.h"

#include <utility>

namespace patchbay::transcripts {
namespace {

constexpr char kMailSchema[] = R"({"type":"object",
  "required":["callId","recipient","state","tries","error","createdAtUtc","lastTryUtc","nextTryUtc"],"properties":{
    "callId":{"type":"string"},"recipient":{"type":"string"},
    "state":{"type":"string","enum":["waiting","sent","refused","given-up"]},
    "tries":{"type":"integer"},"error":{"type":"string","description":"Of the last attempt"},
    "createdAtUtc":{"type":"string"},"lastTryUtc":{"type":["string","null"]},"nextTryUtc":{"type":["string","null"]}}})";
constexpr char kMailMembers[] = "callId recipient state tries error createdAtUtc@ lastTryUtc@? nextTryUtc@?";

}  // namespace

MailRoutes::MailRoutes(const Host& host)
    : host_(host),
      count_(Statement::find(host, "mail_count")),
      list_(Statement::find(host, "mail_list")),
      routes_(host) {
  http::Route route;
  route.method = "GET";
  route.path = "/api.ashx/v1/admin/mails";
  route.area = "transcripts";
  route.summary = "Lists the outcome mails of the last 30 days with their state, newest first";
  route.list = true;
  route.query_schema = R"({"type":"object","properties":{
    "state":{"type":"string","enum":["waiting","sent","refused","given-up"],"description":"Only mails in this state"}}})";
  route.reply_schema = kMailSchema;
  routes_.add(std::move(route), [this](const http::Request& request, Reply<http::Response> reply) {
    list(request, std::move(reply));
  });
}

void MailRoutes::list(const http::Request& request, Reply<http::Response> reply) {
  const Values values{request.tenant, request.query.text("state")};
  Values page_values = values;
  page_values.emplace_back(request.limit);
  page_values.emplace_back(request.offset);
  query_number(host_, count_, values,
               [this, page_values = std::move(page_values),
                reply = std::move(reply)](const Result<int64_t>& total) mutable {
                 if (!total) return reply(total.error());
                 page(page_values, *total, std::move(reply));
               });
}

void MailRoutes::page(const Values& values, int64_t total, Reply<http::Response> reply) {
  query_json(host_, list_, values, kMailMembers,
             [total, reply = std::move(reply)](Result<JsonRows> items) mutable {
               if (!items) return reply(items.error());
               http::Response response;
               response.bytes = std::move(items->text);
               response.total = total;
               reply(std::move(response));
             });
}

}  // namespace patchbay::transcripts
