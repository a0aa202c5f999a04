#include "users/contact_routes.h"

#include <patchbay/services/http_list.h>
#include <patchbay/utc.h>

#include <utility>

namespace patchbay::sip_trunk {
namespace {

constexpr char kContact[] =
    R"({"type":"object","required":["username","name","kind","description","sinceUtc","expiresUtc"],"properties":{
"username":{"type":"string"},
"name":{"type":"string","description":"Identifies it among the user's contacts"},
"kind":{"type":"string","description":"sip: a telephone that has registered"},
"description":{"type":"string","description":"Its address, transport and make"},
"sinceUtc":{"type":"string","format":"date-time"},
"expiresUtc":{"type":["string","null"],"format":"date-time","description":"When it ends unless it is renewed before; null: it has no end"}}})";

constexpr char kQuery[] =
    R"({"type":"object","properties":{
"user":{"type":"string","minLength":1,"maxLength":128,"example":"dora","description":"Only the contacts of this user"}}})";

constexpr char kContactExample[] =
    R"({"reply": {"data": [{"username": "dora", "name": "sip-17", "kind": "sip",
  "description": "192.0.2.7:5060 udp, Linphone/5.0", "sinceUtc": "2026-11-20T08:15:00.000Z",
  "expiresUtc": "2026-11-20T08:25:00.000Z"}], "total": 1, "limit": 50, "offset": 0, "next": null}})";

}  // namespace

void ContactRoutes::add_to(http::Routes& routes) {
  http::Route route;
  route.method = "GET";
  route.path = "/api.ashx/v1/admin/contacts";
  route.area = "users";
  route.summary = "Lists where the users can be rung now: registered telephones";
  route.list = true;
  route.query_schema = kQuery;
  route.reply_schema = kContact;
  route.example = kContactExample;
  routes.add(std::move(route), [this](const http::Request& request, patchbay::Reply<http::Response> reply) {
    reply(list(request));
  });
}

http::Response ContactRoutes::list(const http::Request& request) const {
  const auto contacts =
      directory_.of(settings_.tenant_of(request.tenant), std::string(request.query.text("user")));
  return http::list_page(contacts, request, [](JsonWriter& body, const ContactDirectory::Entry& entry) {
    body.object()
        .member("username", entry.contact.user)
        .member("name", entry.contact.name)
        .member("kind", entry.contact.kind)
        .member("description", entry.contact.description)
        .member("sinceUtc", utc_text(entry.since_ms))
        .key("expiresUtc");
    if (entry.contact.expires_ms != 0) {
      body.value(utc_text(entry.contact.expires_ms));
    } else {
      body.null();
    }
    body.end();
  });
}

}  // namespace patchbay::sip_trunk
