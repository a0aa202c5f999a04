// Decides what an inbound call reaches. Pure; any thread.
#pragma once

#include <patchbay/services/numbers.h>

#include <optional>
#include <string>

#include "routes/route_row.h"

namespace patchbay::sip_trunk {

// Who is called by whom; both normalised. nullopt: the INVITE names no number, or withholds it.
struct InboundCall {
  // From the user parts of the request URI and of From.
  static InboundCall read(std::string_view called_user, std::string_view calling_user);

  std::optional<std::string> called;
  std::optional<std::string> calling;
};

struct InboundDecision {
  enum class Action { ring_user, answer_by_number, refuse };
  Action action = Action::refuse;
  const RouteRow* row = nullptr;  // borrowed from the rows; null: a number decided, or nothing did
  std::string user;               // with ring_user
  int sip_status = 0;             // with refuse
  std::string why;                // for people
};

// Tries the rows but the catchall in order, then the virtual number that was called, if there is one, then
// the catchall. `rows` are all rows of the tenant.
InboundDecision decide_inbound(const RouteRows& rows, const InboundCall& call,
                               const std::optional<numbers::Summary>& number);

}  // namespace patchbay::sip_trunk
