#include "legs/trunk_leg.h"

#include <patchbay/strand.h>

#include <algorithm>
#include <utility>

#include "number/number.h"

namespace patchbay::sip_trunk {

TrunkLeg::TrunkLeg(const Host& host, SipStack& stack, LegDirectory& directory, const ServerSettings& server,
                   Log log, Handle listener, const std::string& correlation, CallInfo live)
    : CallLeg(host, stack, server, std::move(log), listener),
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
    if (id == dialog_) on_call_ended(ended);
    return;
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
  if (transfer_.is_pending()) return refuse(491, "a transfer is under way");
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
  former_.push_back({dialog_, std::exchange(events_, std::move(events))});
  stack_.leave(dialog_, bye_after_ms);
  dialog_ = next;
  control_.move(next);
  transfer_.move(next, number);
  media_.watch_silence();
}

void TrunkLeg::close_leg(Function<void()> done) {
  media_.close(alive_.bind([this, done = std::move(done)]() mutable {
    if (former_.empty()) return done();
    on_last_ended_ = std::move(done);
  }));
}

}  // namespace patchbay::sip_trunk
