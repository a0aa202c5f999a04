#include "legs/trunk_leg.h"

#include <patchbay/strand.h>

#include <algorithm>
#include <utility>

#include "number/number.h"
#include "stack/sip_limits.h"

namespace patchbay::sip_trunk {

TrunkLeg::TrunkLeg(const Host& host, SipStack& stack, LegDirectory& directory, const ServerSettings& server,
                   Log log, Handle listener, const std::string& correlation, CallInfo live)
    : CallLeg(host, stack, server, std::move(log), listener),
      directory_(directory),
      live_(directory.calls(), live),
      transfer_(host, stack, directory, log_, server_.require_gate, live.call_id, correlation) {
  transfer_.provide(*service_);
}

void TrunkLeg::open_answered(AnsweredLeg data, const TrunkAccess& trunk) {
  control_.open(dialog_);
  data.dialog = dialog_;
  data.leg = this;
  transfer_.open(service_->handle(), std::move(data), trunk);
}

void TrunkLeg::on_dialog_reanswer_failed(DialogId id, const std::string& why) {
  CallLeg::on_dialog_reanswer_failed(id, why);
  // Otherwise of a re-INVITE: the earlier media stay.
  if (id == dialog_ && is_late_offer_) fail("no usable media: " + why);
}

void TrunkLeg::on_dialog_refer_step(DialogId id, const ReferStep& step) {
  if (id == dialog_) transfer_.on_step(step);
}

void TrunkLeg::on_dialog_ended(DialogId id, const DialogEnd& ended) {
  const auto former =
      std::find_if(former_.begin(), former_.end(), [id](const Former& one) { return one.id == id; });
  if (former == former_.end()) {
    if (id != dialog_) return;
    // A far end that transfers may leave before the target is reached.
    const bool goes_on = far_transfer_ && ended.reason == EndReason::far_hangup && !is_ending();
    if (!goes_on) return on_call_ended(ended);
    referrer_end_ = ended;
    dialog_ = 0;
    control_.move(0);
    transfer_.move(0, "");
    return media_.stop_watch();
  }
  // Deleted later, because it is calling this.
  post(host_, kMainStrand, [gone = std::shared_ptr<LegDialog>(std::move(former->events))] {});
  former_.erase(former);
  if (former_.empty() && on_last_ended_) post(host_, kMainStrand, std::exchange(on_last_ended_, {}));
}

void TrunkLeg::replace_by(DialogId next, const InboundInvite& invite) {
  const auto refuse = [&](int status, const std::string& why) {
    log_.info("another far end may not take the call over", {{"sip", status}, {"why", why}});
    stack_.refuse(next, {status, "", 0, {}});
  };
  if (is_ending()) return refuse(481, "the call is ending");
  if (transfer_.is_pending() || far_transfer_) return refuse(491, "a transfer is under way");
  const TrunkAccess& trunk = transfer_.trunk();
  auto media = media_.next_negotiation(trunk);
  if (!media) return refuse(503, media.error().text);
  auto events = std::make_unique<LegDialog>(host_, static_cast<LegDialog::Owner&>(*this));
  events->use(*media);
  if (!stack_.take(next, {transfer_.leg().tenant, transfer_.leg().trunk_id, trunk}, *events)) return;
  std::shared_ptr<MediaSetup> before = media_.use(*media);
  const auto sdp = (*media)->answer_invite(invite.source, trunk.media, invite.sdp);
  if (!sdp) {
    media_.use(std::move(before));
    former_.push_back({next, std::move(events)});
    return refuse(488, sdp.error().text);
  }
  is_late_offer_ = invite.sdp.empty();
  const std::string number = lib::caller_number(invite.calling_user).value_or("");
  log_.info("another far end takes the call over",
            {{"address", invite.source.text()}, {"number", number}, {"sip-call-id", invite.call_id}});
  stack_.answer(next, *sdp);
  adopt(next, std::move(events), number, 0);
}

void TrunkLeg::adopt(DialogId next, std::unique_ptr<LegDialog> events, const std::string& number,
                     int64_t bye_after_ms) {
  std::unique_ptr<LegDialog> before = std::exchange(events_, std::move(events));
  if (dialog_ != 0) {
    former_.push_back({dialog_, std::move(before)});
    stack_.leave(dialog_, bye_after_ms);
  }
  dialog_ = next;
  control_.move(next);
  transfer_.move(next, number);
  media_.watch_silence();
}

void TrunkLeg::on_dialog_far_refer(DialogId id, const ReferTarget& target) {
  if (id != dialog_ || is_ending() || far_transfer_ || transfer_.is_pending())
    return stack_.report_refer(id, 491);
  FarEndTransfer::Callbacks callbacks;
  callbacks.report = [this, id](int status) { stack_.report_refer(id, status); };
  callbacks.reached = [this](FarEndTransfer::Reached reached) { on_target_reached(std::move(reached)); };
  callbacks.failed = [this] { on_transfer_failed(); };
  callbacks.abandon = [this](DialogId dialog, std::unique_ptr<LegDialog> events) {
    events->set_owner(*this);
    former_.push_back({dialog, std::move(events)});
  };
  far_transfer_ =
      std::make_shared<FarEndTransfer>(host_, stack_, directory_, server_, log_, media_, transfer_.leg(),
                                       kFirstTransferAttempt + transfers_++, std::move(callbacks));
  far_transfer_->start(target);
}

void TrunkLeg::on_target_reached(FarEndTransfer::Reached target) {
  end_transfer();
  target.events->set_owner(*this);
  if (is_ending()) {
    stack_.hangup(target.dialog);
    former_.push_back({target.dialog, std::move(target.events)});
    return;
  }
  log_.info("the target of the far end's transfer takes the call over",
            {{"number", target.number}, {"trunk", target.trunk_id}});
  referrer_end_.reset();
  is_late_offer_ = false;
  place_ = std::move(target.place);
  live_.set_state("answered", target.trunk_id);
  transfer_.set_trunk(target.trunk_id, target.trunk);
  adopt(target.dialog, std::move(target.events), target.number, kReferrerByeMs);
}

void TrunkLeg::on_transfer_failed() {
  end_transfer();
  if (referrer_end_) on_call_ended(*std::exchange(referrer_end_, std::nullopt));
}

// Deletes it later, because it is calling this.
void TrunkLeg::end_transfer() {
  post(host_, kMainStrand, [gone = std::exchange(far_transfer_, nullptr)] {});
}

void TrunkLeg::hang_up_dialog() {
  if (dialog_ != 0) return stack_.hangup(dialog_);
  post(host_, kMainStrand, alive_.bind([this] { on_call_ended({EndReason::local_hangup, 0, "", ""}); }));
}

void TrunkLeg::close_leg(const telephony::Ended& ended, Function<void()> done) {
  transfer_.close();  // first, because ended() is the last that the owner hears
  listener_.send(telephony::LegListener::ended, ended);
  control_.close();
  service_.reset();
  place_ = TrunkPlace();
  if (far_transfer_) {
    far_transfer_->cancel();
    end_transfer();
  }
  media_.close(alive_.bind([this, done = std::move(done)]() mutable {
    if (former_.empty()) return done();
    on_last_ended_ = std::move(done);
  }));
}

}  // namespace patchbay::sip_trunk
