#include "legs/trunk_attempts.h"

#include <algorithm>
#include <utility>

#include "legs/hangup_cause.h"
#include "stack/sip_limits.h"

namespace patchbay::sip_trunk {

TrunkAttempts::TrunkAttempts(const Host& host, SipStack& stack, TrunkAccesses shared,
                             const ServerSettings& server, const Log& log,
                             std::map<std::string, TrunkAccess> trunks, std::vector<std::string> trunk_ids,
                             Order order, DialogListener& listener, Callbacks callbacks)
    : host_(host),
      stack_(stack),
      limits_(shared.limits),
      health_(shared.health),
      server_(server),
      log_(log),
      listener_(listener),
      trunks_(std::move(trunks)),
      order_(std::move(order)),
      callbacks_(std::move(callbacks)),
      failover_(std::move(trunk_ids)),
      lookup_(host, shared.resolver, log) {}

void TrunkAttempts::start(int family) {
  family_ = family;
  try_trunk();
}

void TrunkAttempts::try_trunk() {
  place_ = TrunkPlace();
  const std::string* id = failover_.current();
  if (id == nullptr) return callbacks_.failed(ended_as("failed", "no trunk is configured for the number"));
  const TrunkKey trunk{order_.tenant, *id};
  if (const std::string why = health_.why_down(trunk); !why.empty()) return on_down(why);
  if (const auto full = limits_.take(trunk, trunks_.at(*id).limit, order_.call_id, host_.mono_ns()))
    return on_full(*full);
  place_ = TrunkPlace(limits_, trunk);
  lookup_.start(trunks_.at(*id), family_, server_.silence_timeout_ms,
                [this](const Result<TrunkTargets>& found) { on_resolved(found); });
}

void TrunkAttempts::on_full(const TrunkRefusal& refused) {
  const std::string trunk_id = *failover_.current();
  log_.info("a trunk takes no call now", {{"trunk", trunk_id}, {"limit", refused.text}});
  if (callbacks_.limited) callbacks_.limited(refused);
  if (pass_over(refused.text)) return;
  telephony::Ended result = ended_as("failed", refused.text + " is reached");
  result.trunk_id = trunk_id;
  callbacks_.failed(std::move(result));
}

void TrunkAttempts::on_down(const std::string& why) {
  const std::string trunk_id = *failover_.current();
  log_.info("a trunk is passed over", {{"trunk", trunk_id}, {"why", why}});
  if (pass_over(why)) return;
  telephony::Ended result = ended_as("failed", "the trunk " + trunk_id + " is " + why);
  result.trunk_id = trunk_id;
  callbacks_.failed(std::move(result));
}

// Tries the next trunk without having tried the current one. False: there is none.
bool TrunkAttempts::pass_over(const std::string& why) {
  const std::string trunk_id = *failover_.current();
  if (!failover_.skip()) return false;
  earlier_trunks_ += (earlier_trunks_.empty() ? "" : ", ") + trunk_id + ": " + why;
  try_trunk();
  return true;
}

void TrunkAttempts::on_resolved(const Result<TrunkTargets>& found) {
  if (!found) return on_ended({EndReason::transport, 0, "", found.error().text});
  const std::string& id = *failover_.current();
  OutboundCall call;
  call.trunk = trunks_.at(id);
  call.trunk.transport = found->transport;
  call.tenant = order_.tenant;
  call.trunk_id = id;
  call.targets = found->targets;
  call.number = order_.number;
  call.display_name = order_.display_name;
  call.call_id = order_.call_id;
  call.attempt = order_.attempt;
  call.replaces = order_.replaces;
  // Restarts for each trunk, so that a silent trunk takes no time from the callee.
  call.no_answer_timeout_ms = static_cast<uint32_t>(std::max(kMinRingMs, order_.ring_timeout_ms));
  auto offer = callbacks_.offer(call.trunk, call.targets.front().address);
  if (!offer) return callbacks_.failed(ended_as("failed", offer.error().text));
  call.offer = *std::move(offer);
  log_.info("dialling", {{"trunk", id}, {"address", call.targets.front().address.text()}});
  const auto dialog = stack_.dial(std::move(call), listener_);
  if (!dialog) return callbacks_.failed(ended_as("failed", dialog.error().text));
  callbacks_.dialled(*dialog);
}

void TrunkAttempts::on_progress(int status) {
  failover_.on_progress(status);
  if (const std::string* id = failover_.current()) health_.call_answered({order_.tenant, *id});
}

// Tries the next trunk if this one has failed, rather than the callee.
void TrunkAttempts::on_ended(const DialogEnd& ended) {
  const std::string trunk_id = *failover_.current();
  telephony::Ended result = hangup_cause(ended);
  const TrunkKey trunk{order_.tenant, trunk_id};
  if (ended.reason == EndReason::transport || ended.reason == EndReason::silence)
    health_.call_failed(trunk, result.detail);
  else if (ended.reason == EndReason::rejected)
    health_.call_answered(trunk);
  if (!cancelled_ && failover_.on_ended(ended)) {
    earlier_trunks_ += (earlier_trunks_.empty() ? "" : ", ") + trunk_id + ": " + result.detail;
    return try_trunk();
  }
  result.trunk_id = trunk_id;
  callbacks_.failed(std::move(result));
}

void TrunkAttempts::cancel() {
  cancelled_ = true;
  lookup_.cancel();
}

}  // namespace patchbay::sip_trunk
