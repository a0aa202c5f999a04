#include "routes/inbound_decision.h"

#include <utility>

#include "number/number.h"

namespace patchbay::sip_trunk {
namespace {

using Action = InboundDecision::Action;

constexpr int kTemporarilyUnavailable = 480;

InboundDecision ring(const RouteRow* row, const std::string& user, std::string why) {
  return {Action::ring_user, row, user, 0, std::move(why)};
}

InboundDecision refuse_call(const RouteRow* row, std::string why) {
  return {Action::refuse, row, {}, kTemporarilyUnavailable, std::move(why)};
}

const RouteRow* find_row(const RouteRows& rows, const InboundCall& call, bool catchall) {
  for (const RouteRow& row : rows)
    if (row.is_catchall() == catchall && row.matches(call.called, call.calling)) return &row;
  return nullptr;
}

}  // namespace

InboundCall InboundCall::read(std::string_view called_user, std::string_view calling_user) {
  return {lib::caller_number(called_user), lib::caller_number(calling_user)};
}

InboundDecision decide_inbound(const RouteRows& rows, const InboundCall& call,
                               const std::optional<numbers::Summary>& number) {
  if (const RouteRow* row = find_row(rows, call, false)) return ring(row, row->target, "a route matches");
  if (number && number->mode == "disabled") return refuse_call(nullptr, "the virtual number is disabled");
  if (number && number->mode == "live-voice-ai")
    return {Action::answer_by_number, nullptr, {}, 0, "a virtual number is called"};
  if (number && !number->user.empty())
    return ring(nullptr, number->user, "a virtual number is called that rings a user");
  const RouteRow* catchall = find_row(rows, call, true);
  if (catchall == nullptr || catchall->target.empty())
    return refuse_call(catchall, "nothing else matches, and the catchall rings no user");
  return ring(catchall, catchall->target, "nothing else matches: the catchall");
}

}  // namespace patchbay::sip_trunk
