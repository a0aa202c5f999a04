#include "login/ticket.h"

#include <patchbay/base64.h>

#include "crypto/digest.h"
#include "identity_limits.h"

namespace patchbay::identity {
namespace {

// Neither purpose nor tenant nor browser has a line end.
std::string ticket_mac(const Context& context, const TicketScope& scope, std::string_view payload) {
  return context.keys.mac("ticket\n" + scope.purpose + "\n" + scope.tenant + "\n" + scope.browser + "\n" +
                          std::string(payload));
}

}  // namespace

std::string write_ticket(const Context& context, const TicketScope& scope, const Form& fields) {
  JsonWriter payload;
  payload.object().member("until", context.host.wall_ms() + kTicketMs).key("fields").object();
  for (const auto& [name, value] : fields.fields())
    if (!value.empty()) payload.member(name, value);
  payload.end().end();
  return to_base64url(payload.str()) + "." + to_base64url(ticket_mac(context, scope, payload.str()));
}

Result<Ticket> read_ticket(const Context& context, const TicketScope& scope, std::string_view text) {
  const size_t dot = text.find('.');
  if (scope.browser.empty() || dot == std::string_view::npos) return {Code::denied, "no ticket"};
  const auto payload = from_base64url(text.substr(0, dot));
  const auto mac = from_base64url(text.substr(dot + 1));
  if (!payload || !mac || !lib::equal_constant_time(*mac, ticket_mac(context, scope, *payload)))
    return {Code::denied, "the ticket is not of this server, browser or form"};
  PB_TRY_VALUE(const Json json, context.host.parse_json(*payload));
  NameValues fields;
  const JsonView list = json["fields"];
  for (size_t i = 0; i < list.size(); ++i) fields.add(list.key(i), list.at(i).text());
  return Ticket{Form::of(fields), context.host.wall_ms() >= json["until"].integer()};
}

}  // namespace patchbay::identity
