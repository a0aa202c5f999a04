// Tickets: a form of the login page carries one in a hidden field, so that a form counts only if this server
// has shown it, to this browser, for this purpose, not long ago. It holds what was asked for, so the server
// keeps nothing. Signed, and bound to the browser's cookie. Main strand.
#pragma once

#include <string>
#include <string_view>

#include "context.h"
#include "form.h"

namespace patchbay::identity {

// Where a ticket is valid. `purpose`: "login", "logout". `browser`: the value of the cookie.
struct TicketScope {
  std::string purpose;
  std::string tenant;
  std::string browser;
};

struct Ticket {
  Form fields;
  bool expired = false;
};

std::string write_ticket(const Context& context, const TicketScope& scope, const Form& fields);
// Code::denied: not a ticket of this server, or of another scope.
Result<Ticket> read_ticket(const Context& context, const TicketScope& scope, std::string_view text);

}  // namespace patchbay::identity
