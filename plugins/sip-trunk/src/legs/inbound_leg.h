// InboundLeg: a call from a trunk: offered to the answerers, then controlled by the answerer that takes it.
#pragma once

#include <patchbay/end_watch.h>
#include <patchbay/lifetime.h>
#include <patchbay/log.h>
#include <patchbay/services/telephony.h>
#include <patchbay/strand.h>

#include <memory>
#include <string>
#include <vector>

#include "legs/answerer_search.h"
#include "legs/leg_directory.h"
#include "legs/trunk_leg.h"
#include "stack/sip_stack.h"
#include "trunks/trunk_limits.h"

namespace patchbay::sip_trunk {

// Lives on the main strand. Destroy it only after on_closed().
class InboundLeg final : public TrunkLeg {
 public:
  struct Init {
    DialogId dialog = 0;
    InboundInvite invite;
    TrunkAccess trunk;
    TrunkPlace place;
    telephony::Offer offer;  // the leg is added
  };
  // Calls on_closed() last, on the main strand.
  InboundLeg(const Host& host, SipStack& stack, LegDirectory& directory, AnswererOffers& offers,
             const ServerSettings& server, Init init, Function<void()> on_closed);

  // Takes the call from the stack and offers it.
  void start(std::vector<RegisteredAnswerer> answerers);
  void hangup();

 private:
  Handle make_leg();
  void on_offered(const telephony::Taken& taken);
  Status check_unanswered() const;
  Result<Empty> answer();
  Result<Empty> ring(const telephony::Ring& how);
  Result<Empty> reject(const telephony::Reject& why);
  // Opens the media and makes our SDP, once. False: the call is refused.
  bool prepare_media();
  void refuse(const Refusal& refusal, const std::string& why);
  void close(telephony::Ended ended);

  void fail(const std::string& why) override;
  void on_call_ended(const DialogEnd& ended) override;
  bool is_ending() const override { return is_over_; }

  // owned
  const InboundInvite invite_;
  const TrunkAccess trunk_;
  telephony::Offer offer_;
  Function<void()> on_closed_;
  AnswererSearch search_;
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
};

}  // namespace patchbay::sip_trunk
