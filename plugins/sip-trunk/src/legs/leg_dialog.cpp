#include "legs/leg_dialog.h"

#include <patchbay/strand.h>

namespace patchbay::sip_trunk {

void LegDialog::on_progress(DialogId id, int status, std::string_view sdp, std::string_view) {
  post(host_, kMainStrand, alive_.bind([this, id, status, is_early = !sdp.empty()] {
    owner_->on_dialog_progress(id, status, is_early);
  }));
}

void LegDialog::on_answered(DialogId id, std::string_view sdp, std::string_view peer_ip) {
  media_->keep_first_answer(sdp, peer_ip);
  post(host_, kMainStrand, alive_.bind([this, id, sdp = std::string(sdp), peer = std::string(peer_ip)] {
    owner_->on_dialog_answered(id, sdp, peer);
  }));
}

std::string LegDialog::on_reoffer(DialogId, std::string_view sdp) {
  auto answer = media_->answer(sdp);
  return answer ? *std::move(answer) : std::string();
}

void LegDialog::on_reanswer(DialogId id, std::string_view sdp) {
  const Status applied = media_->apply_answer(sdp);
  if (applied) return;
  post(host_, kMainStrand,
       alive_.bind([this, id, why = applied.error().text] { owner_->on_dialog_reanswer_failed(id, why); }));
}

void LegDialog::on_info_digit(DialogId id, char digit) {
  post(host_, kMainStrand, alive_.bind([this, id, digit] { owner_->on_dialog_digit(id, digit); }));
}

void LegDialog::on_reoffer_answered(DialogId id, int status, std::string_view sdp) {
  post(host_, kMainStrand, alive_.bind([this, id, applied = media_->reoffer_answered(status, sdp)] {
    owner_->on_dialog_reoffer_over(id, applied);
  }));
}

void LegDialog::on_refer(DialogId id, const ReferStep& step) {
  post(host_, kMainStrand, alive_.bind([this, id, step] { owner_->on_dialog_refer_step(id, step); }));
}

void LegDialog::on_far_refer(DialogId id, const ReferTarget& target) {
  post(host_, kMainStrand, alive_.bind([this, id, target] { owner_->on_dialog_far_refer(id, target); }));
}

void LegDialog::on_ended(DialogId id, const DialogEnd& ended) {
  post(host_, kMainStrand, alive_.bind([this, id, ended] { owner_->on_dialog_ended(id, ended); }));
}

}  // namespace patchbay::sip_trunk
