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
      list_{Statement::find(host, "mail_count"),
            Statement::find(host, "mail_list"),
            kMailMembers,
            {"callId", "createdAtUtc", "callId"}},
      routes_(host) {
  http::Route route;
  route.method = "GET";
  route.path = "/api.ashx/v1/admin/mails";
  route.area = "transcripts";
  route.summary = "Lists the outcome mails of the last 30 days with their state, newest first";
  route.list = true;
  route.query_schema = R"({"type":"object","properties":{)" + std::string(lib::kCursorSchema) + R"(,
    "state":{"type":"string","enum":["waiting","sent","refused","given-up"],"description":"Only mails in this state"}}})";
  route.reply_schema = kMailSchema;
  routes_.add(std::move(route), [this](const http::Request& request, Reply<http::Response> reply) {
    list(request, std::move(reply));
  });
}

void MailRoutes::list(const http::Request& request, Reply<http::Response> reply) {
  reply_page(host_, list_, {request.tenant, request.query.text("state")}, request, std::move(reply));
}

}  // namespace patchbay::transcripts
