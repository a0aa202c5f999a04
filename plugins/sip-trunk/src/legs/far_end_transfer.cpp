#include "legs/far_end_transfer.h"

#include <utility>
#include <vector>

#include "stack/sip_limits.h"

namespace patchbay::sip_trunk {
namespace {

// The status of a failed call, for the far end that asked for it.
int status_of(const telephony::Ended& ended) {
  if (ended.sip_status >= 300 && ended.sip_status <= 699) return static_cast<int>(ended.sip_status);
  return ended.cause == "no-answer" ? 480 : 503;
}

}  // namespace

FarEndTransfer::FarEndTransfer(const Host& host, SipStack& stack, LegDirectory& directory,
                               const ServerSettings& server, const Log& log, LegMedia& media, AnsweredLeg leg,
                               uint32_t attempt, Callbacks callbacks)
    : host_(host),
      stack_(stack),
      directory_(directory),
      server_(server),
      log_(log),
      media_(media),
      leg_(std::move(leg)),
      attempt_(attempt),
      callbacks_(std::move(callbacks)),
      check_(host, log, [this](const Status& allowed) { on_gates(allowed); }),
      events_(std::make_unique<LegDialog>(host, static_cast<LegDialog::Owner&>(*this))) {}

void FarEndTransfer::start(const ReferTarget& target) {
  target_ = target;
  log_.info("the far end transfers the call",
            {{"number", target_.number}, {"attended", target_.replaces.has_value()}});
  std::vector<RegisteredGate> gates = directory_.gates();
  if (gates.empty() && server_.require_gate) return fail(403, "no dial gate is loaded");
  check_.start(std::move(gates), {leg_.tenant, target_.number, leg_.call_id, leg_.call_id});
}

void FarEndTransfer::on_gates(const Status& allowed) {
  if (!allowed) return fail(403, allowed.error().text);
  dial();
}

// The far end of a dialog that is to be replaced is behind the same trunk.
void FarEndTransfer::dial() {
  const TransferDialling* dialling = directory_.dialling();
  if (dialling == nullptr) return fail(503, "no trunk can be dialled");
  TransferRoute route = dialling->route(leg_.tenant, target_.number);
  if (target_.replaces && route.trunks.count(leg_.trunk_id) != 0) route.trunk_ids = {leg_.trunk_id};
  if (route.trunk_ids.empty()) return fail(404, "no trunk is configured for the number");
  TrunkAttempts::Order order;
  order.tenant = leg_.tenant;
  order.number = target_.number;
  order.call_id = leg_.call_id;
  order.attempt = attempt_;
  order.ring_timeout_ms = kFarTransferRingMs;
  if (target_.replaces) order.replaces = text_of(*target_.replaces);
  TrunkAttempts::Callbacks callbacks;
  callbacks.offer = [this](const TrunkAccess& trunk, const lib::SocketAddress& to) {
    return offer(trunk, to);
  };
  callbacks.dialled = [this](DialogId dialog) { dialog_ = dialog; };
  callbacks.failed = [this](const telephony::Ended& ended) { fail(status_of(ended), ended.detail); };
  attempts_ = std::make_unique<TrunkAttempts>(host_, stack_, dialling->shared, server_, log_,
                                              std::move(route.trunks), std::move(route.trunk_ids),
                                              std::move(order), *events_, std::move(callbacks));
  attempts_->start(media_.family());
}

Result<std::string> FarEndTransfer::offer(const TrunkAccess& trunk, const lib::SocketAddress& to) {
  PB_TRY_VALUE(negotiation_, media_.next_negotiation(trunk));
  events_->use(negotiation_);
  return negotiation_->offer(to, trunk.media);
}

void FarEndTransfer::on_dialog_progress(DialogId id, int status, bool) {
  if (is_over_ || id != dialog_) return;
  attempts_->on_progress(status);
  callbacks_.report(status);
}

void FarEndTransfer::on_dialog_answered(DialogId id, const std::string& sdp, const std::string& peer_ip) {
  if (is_over_ || id != dialog_) return;
  std::shared_ptr<MediaSetup> before = media_.use(negotiation_);
  const Status applied = negotiation_->apply_first_answer(sdp, peer_ip);
  if (!applied) {
    media_.use(std::move(before));
    stack_.hangup(id);
    callbacks_.abandon(std::exchange(dialog_, 0), std::move(events_));
    return fail(488, "the target's answer has no usable media: " + applied.error().text);
  }
  is_over_ = true;
  callbacks_.report(200);
  callbacks_.reached({id, std::move(events_), target_.number, *attempts_->trunk_id(), attempts_->trunk(),
                      attempts_->take_place()});
}

void FarEndTransfer::on_dialog_ended(DialogId id, const DialogEnd& ended) {
  if (is_over_ || id != dialog_) return;
  dialog_ = 0;
  attempts_->on_ended(ended);
}

void FarEndTransfer::fail(int status, const std::string& why) {
  if (std::exchange(is_over_, true)) return;
  log_.info("the transfer of the far end has failed, and the call goes on", {{"sip", status}, {"why", why}});
  callbacks_.report(status);
  callbacks_.failed();
}

void FarEndTransfer::cancel() {
  if (std::exchange(is_over_, true)) return;
  check_.cancel();
  if (attempts_) attempts_->cancel();
  if (dialog_ == 0) return;
  stack_.hangup(dialog_);
  callbacks_.abandon(std::exchange(dialog_, 0), std::move(events_));
}

}  // namespace patchbay::sip_trunk
