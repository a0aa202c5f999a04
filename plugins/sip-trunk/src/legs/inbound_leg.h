// InboundLeg: a call from a trunk: offered to the answerers, then controlled by the answerer that takes it.
#pragma once

#include <patchbay/end_watch.h>
#include <patchbay/lifetime.h>
#include <patchbay/log.h>
#include <patchbay/services/telephony.h>
#include <patchbay/strand.h>

#include <string>
#include <vector>

#include "legs/answerer_search.h"
#include "legs/leg_control.h"
#include "legs/leg_directory.h"
#include "legs/leg_media.h"
#include "legs/leg_transfer.h"
#include "stack/sip_stack.h"
#include "trunks/trunk_limits.h"

namespace patchbay::sip_trunk {

// Lives on the main strand; the sip thread calls the DialogListener functions. Destroy it only after
// on_closed().
class InboundLeg final : public DialogListener {
 public:
  struct Init {
    DialogId dialog = 0;
    InboundInvite invite;
    TrunkAccess trunk;
    TrunkPlace place;
    telephony::Offer offer;  // the leg is added
  };
  // Calls on_closed() last, on the main strand.
  InboundLeg(const Host& host, SipStack& stack, LegDirectory& directory, const ServerSettings& server,
             Init init, Function<void()> on_closed);

  // Also calls f(ended) on the main strand when the call has ended.
  void on_ended_for_metrics(Function<void(const telephony::Ended&)> f) { metrics_ = std::move(f); }

  // Takes the call from the stack and offers it.
  void start(std::vector<RegisteredAnswerer> answerers);
  void hangup();

 private:
  void on_offered(const telephony::Taken& taken);
  Status check_unanswered() const;
  Result<Empty> answer();
  Result<Empty> ring(const telephony::Ring& how);
  Result<Empty> reject(const telephony::Reject& why);
  // Opens the media and makes our SDP, once. False: the call is refused.
  bool prepare_media();
  void refuse(const Refusal& refusal, const std::string& why);
  void on_dialog_ended(const DialogEnd& ended);
  void close(telephony::Ended ended);

  // sip thread
  void on_progress(DialogId, int, std::string_view, std::string_view) override {}
  void on_answered(DialogId, std::string_view, std::string_view) override {}
  std::string on_reoffer(DialogId id, std::string_view sdp) override;
  void on_reanswer(DialogId id, std::string_view sdp) override;
  void on_info_digit(DialogId id, char digit) override;
  void on_reoffer_answered(DialogId id, int status, std::string_view sdp) override;
  void on_refer(DialogId id, const ReferStep& step) override;
  void on_ended(DialogId id, const DialogEnd& ended) override;

  // borrowed
  const Host& host_;
  SipStack& stack_;
  // owned
  const ServerSettings server_;
  const DialogId dialog_;
  const InboundInvite invite_;
  const TrunkAccess trunk_;
  telephony::Offer offer_;
  const Log log_;
  Function<void()> on_closed_;
  Function<void(const telephony::Ended&)> metrics_;
  TrunkPlace place_;
  Provision<telephony::Leg> service_;
  AnswererSearch search_;
  LegMedia media_;
  LegControl control_;
  LiveCall live_;
  LegTransfer transfer_;
  Lease<telephony::LegListener> listener_;
  EndWatch listener_watch_;
  // state, main strand
  int64_t started_ns_ = 0;
  bool is_taken_ = false;     // the stack reports the end
  bool is_owned_ = false;     // an answerer has taken the call
  bool is_answered_ = false;  // 200 was sent
  bool is_over_ = false;      // refused or hung up: no method works any more
  bool closed_ = false;
  std::string sdp_;      // ours
  Handle port_;          // of the audio
  std::string failure_;  // why we ended the call, for "failed"
  Lifetime alive_;
};

}  // namespace patchbay::sip_trunk
