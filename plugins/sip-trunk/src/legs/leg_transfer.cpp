#include "legs/leg_transfer.h"

#include <patchbay/end_watch.h>

#include <utility>

#include "dialogs/invite.h"
#include "legs/hangup_cause.h"
#include "number/number.h"
#include "stack/sip_limits.h"

namespace patchbay::sip_trunk {

using telephony::Transferred;

LegTransfer::LegTransfer(const Host& host, SipStack& stack, LegDirectory& directory, const Log& log,
                         bool require_gate, std::string call_id, std::string correlation)
    : host_(host),
      stack_(stack),
      directory_(directory),
      log_(log),
      require_gate_(require_gate),
      call_id_(std::move(call_id)),
      correlation_(std::move(correlation)),
      timeout_(host) {}

void LegTransfer::provide(Provision<telephony::Leg>& service) {
  service.on(telephony::Leg::transfer, [this](const telephony::Transfer& request, Reply<Transferred> reply) {
    start(request, std::move(reply));
  });
}

void LegTransfer::open(Handle leg, AnsweredLeg data, const TrunkAccess& trunk) {
  leg_ = leg;
  self_ = data;
  trunk_ = trunk;
  directory_.add(leg, std::move(data));
}

void LegTransfer::set_trunk(const std::string& id, const TrunkAccess& trunk) {
  self_.trunk_id = id;
  trunk_ = trunk;
}

void LegTransfer::move(DialogId dialog, const std::string& number) {
  self_.dialog = dialog;
  self_.number = number;
  directory_.add(leg_, self_);
}

void LegTransfer::start(const telephony::Transfer& request, Reply<Transferred> reply) {
  if (!leg_) return reply(Error{Code::conflict, "the call is not answered"});
  if (pending_) return reply(Error{Code::conflict, "another transfer is under way"});
  if (request.number.empty() == !request.leg)
    return reply(Error{Code::invalid, "set number or leg, and not both"});
  if (request.timeout_ms < kMinTransferMs || request.timeout_ms > kMaxTransferMs)
    return reply(Error{Code::invalid, "timeout_ms must be 1000 to 180000, such as 60000"});
  number_ = request.number;
  other_ = request.leg;
  if (other_) {
    const AnsweredLeg* other = directory_.find(other_);
    if (other == nullptr || other->dialog == self_.dialog || other->owner != self_.owner)
      return reply(Error{Code::conflict, "leg is no other answered call of the owner"});
    if (other->tenant != self_.tenant || other->trunk_id != self_.trunk_id)
      return reply(Error{Code::unsupported, "the calls are not of the same trunk"});
    if (other->number.empty())
      return reply(Error{Code::unsupported, "the number of the other call is not known"});
    number_ = other->number;
  }
  const auto normal = lib::normalise_number(number_);
  if (!normal || *normal != number_)
    return reply(Error{Code::invalid, "number must be normalised, such as +4930123456"});
  std::vector<RegisteredGate> gates = directory_.gates();
  if (gates.empty() && require_gate_) return reply(Error{Code::denied, "no dial gate is loaded"});
  pending_ = std::move(reply);
  is_accepted_ = is_ringing_ = false;
  timeout_.after_ms(request.timeout_ms, [this] {
    finish(Error{Code::timeout, is_accepted_ ? "the far end does not report the outcome of the transfer"
                                             : "the far end does not answer REFER"});
  });
  gate_check_ =
      std::make_shared<DialGateCheck>(host_, log_, [this](const Status& allowed) { on_gates(allowed); });
  gate_check_->start(std::move(gates), {self_.tenant, number_, call_id_, correlation_});
}

void LegTransfer::on_gates(const Status& allowed) {
  // Deletes the check later, because it is calling this.
  post(host_, kMainStrand, [old = std::move(gate_check_)] {});
  if (!pending_) return;
  if (!allowed) return finish(Error{Code::denied, allowed.error().text});
  const AnsweredLeg* other = other_ ? directory_.find(other_) : nullptr;
  if (other_ && other == nullptr) return finish(Error{Code::conflict, "the other call is over"});
  const auto uri = refer_uri(trunk_, number_);
  if (!uri) return finish(uri.error());
  log_.info("transferring the far end", {{"number", number_}, {"attended", other != nullptr}});
  stack_.refer(self_.dialog, *uri, other != nullptr ? other->dialog : 0);
}

void LegTransfer::on_step(const ReferStep& step) {
  if (!pending_) return;
  Transferred result;
  result.sip_status = step.status;
  const std::string shown =
      (step.text.empty() ? std::string("SIP") : step.text) + " (" + std::to_string(step.status) + ")";
  switch (step.kind) {
    case ReferStep::Kind::accepted:
      is_accepted_ = true;
      return;
    case ReferStep::Kind::rings:
      is_ringing_ = true;
      return;
    case ReferStep::Kind::unreported:
      result.completed = true;
      result.sip_status = 202;
      break;
    case ReferStep::Kind::reported:
      result.completed = step.status < 300;
      if (!result.completed)
        result.detail = hangup_cause({EndReason::rejected, step.status, step.text, ""}).detail;
      break;
    case ReferStep::Kind::refused:
      // The far end, or its trunk, has no transfers at all.
      if (step.status == 405 || step.status == 501 || step.status == 420 || step.status == 403)
        return finish(Error{Code::unsupported, "the far end does not transfer calls: " + shown});
      if (step.status == 491) return finish(Error{Code::conflict, step.text});
      if (step.status == 0) return finish(Error{Code::timeout, step.text});
      result.detail = "the far end refuses the transfer: " + shown;
      break;
  }
  finish(result);
}

void LegTransfer::finish(Result<Transferred> result) {
  timeout_.cancel();
  if (!pending_) return;
  Reply<Transferred> reply = *std::exchange(pending_, std::nullopt);
  log_.info("the transfer is over", {{"number", number_},
                                     {"completed", result && result->completed},
                                     {"sip", result ? result->sip_status : 0},
                                     {"why", result ? result->detail : result.error().text}});
  reply(std::move(result));
}

// A far end that has accepted may leave the call without reporting, as carriers do that transfer blindly. One
// that reports (RFC 5589 section 6.1) would say so before it leaves: there the caller has hung up.
void LegTransfer::close() {
  if (leg_) directory_.remove(leg_);
  leg_ = {};
  if (gate_check_) gate_check_->cancel();
  if (is_accepted_ && pending_) {
    Transferred left;
    left.completed = !is_ringing_;
    left.sip_status = 202;
    if (is_ringing_) left.detail = "the far end hung up while the call to the number rang";
    return finish(left);
  }
  finish(Error{Code::gone, "the call has ended"});
}

}  // namespace patchbay::sip_trunk
