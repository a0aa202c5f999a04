#include "legs/inbound_leg.h"

#include <patchbay/text.h>

#include <utility>

#include "legs/hangup_cause.h"
#include "stack/sip_limits.h"

namespace patchbay::sip_trunk {

using telephony::Leg;
using telephony::LegListener;

namespace {

// The phrase of a status (RFC 3261 section 21) that refuses a call.
std::string phrase_of(int64_t status) {
  switch (status) {
    case 404:
      return "Not Found";
    case 480:
      return "Temporarily Unavailable";
    case 486:
      return "Busy Here";
    case 503:
      return "Service Unavailable";
    case 600:
      return "Busy Everywhere";
    case 603:
      return "Decline";
    default:
      return "Refused";
  }
}

// A Warning header (RFC 3261 section 20.43) with the reason; "": none.
std::string warning_of(const std::string& reason) {
  std::string text;
  for (char c : printable_ascii(reason, kMaxShownBytes))
    if (c != '"' && c != '\\') text += c;
  return text.empty() ? text : "399 patchbay \"" + text + "\"";
}

}  // namespace

InboundLeg::InboundLeg(const Host& host, SipStack& stack, LegDirectory& directory, AnswererOffers& offers,
                       const ServerSettings& server, Init init, Function<void()> on_closed)
    : TrunkLeg(host, stack, directory, server, Log(host).with(init.offer.call_id), {}, init.offer.call_id,
               {init.offer.call_id, init.offer.tenant, "inbound", init.offer.from_number, init.offer.did,
                "ringing", init.offer.trunk_id, host.wall_ms(), nullptr, 0}),
      invite_(std::move(init.invite)),
      trunk_(std::move(init.trunk)),
      offer_(std::move(init.offer)),
      on_closed_(std::move(on_closed)),
      search_(host, log_, offers,
              {[this] { return make_leg(); }, [this](const telephony::Taken& taken) { on_offered(taken); }}) {
  is_late_offer_ = invite_.sdp.empty();
  dialog_ = init.dialog;
  place_ = std::move(init.place);
}

Handle InboundLeg::make_leg() {
  make_service();
  service_
      ->on(Leg::hangup,
           [this](const telephony::Hangup& why) -> Result<Empty> {
             log_.info("hanging up", {{"reason", why.reason}});
             hangup();
             return Empty{};
           })
      .on(Leg::answer, [this](const Empty&) { return answer(); })
      .on(Leg::ring, [this](const telephony::Ring& how) { return ring(how); })
      .on(Leg::reject, [this](const telephony::Reject& why) { return reject(why); });
  transfer_.provide(*service_);
  return service_->handle();
}

void InboundLeg::start(std::vector<RegisteredAnswerer> answerers) {
  started_ns_ = host_.mono_ns();
  log_.info("a call comes in", {{"trunk", offer_.trunk_id},
                                {"address", invite_.source.text()},
                                {"did", offer_.did},
                                {"from", offer_.from_number},
                                {"target", offer_.target},
                                {"sip-call-id", invite_.call_id}});
  const Status taken = stack_.take(dialog_, {offer_.tenant, offer_.trunk_id, trunk_}, *events_);
  if (!taken) return close(ended_as("failed", taken.error().text));
  is_taken_ = true;
  search_.start(std::move(answerers), offer_);
}

void InboundLeg::on_offered(const telephony::Taken& taken) {
  if (is_over_) return;
  if (!taken.listener) {
    const int64_t status = taken.sip_status >= 400 && taken.sip_status <= 699 ? taken.sip_status : 480;
    const std::string why = taken.sip_status != 0       ? taken.reason
                            : offer_.target == "user"   ? "no telephone of the user " + offer_.user
                            : offer_.target == "number" ? "nothing answers the virtual number"
                                                        : "no route and no number takes the call";
    return refuse({static_cast<int>(status), phrase_of(status), 0, warning_of(taken.reason)}, why);
  }
  is_owned_ = true;
  listener_ = Lease<LegListener>::open(host_, taken.listener);
  listener_watch_ = EndWatch(host_, taken.listener, [this] {
    log_.warn("hanging up, because the owner of the call has ended");
    hangup();
  });
}

Status InboundLeg::check_unanswered() const {
  if (is_owned_ && !is_answered_ && !is_over_) return {};
  if (!is_owned_) return {Code::conflict, "the call is not taken yet: reply to the offer first"};
  return {Code::conflict, "the call is answered or over"};
}

Result<Empty> InboundLeg::answer() {
  PB_TRY(check_unanswered());
  if (!prepare_media()) return Empty{};
  is_answered_ = true;
  live_.set_state("answered", offer_.trunk_id);
  stack_.answer(dialog_, sdp_);
  listener_.send(LegListener::answered,
                 {offer_.trunk_id, (host_.mono_ns() - started_ns_) / 1'000'000, port_});
  media_.watch_silence();
  open_answered(
      {0, offer_.tenant, offer_.trunk_id, offer_.from_number, calling_plugin(host_).id, offer_.call_id},
      trunk_);
  return Empty{};
}

// Early media needs the caller's offer, because an offer of ours could only be answered with PRACK.
Result<Empty> InboundLeg::ring(const telephony::Ring& how) {
  PB_TRY(check_unanswered());
  const bool early_media = how.early_media && !invite_.sdp.empty();
  if (early_media && !prepare_media()) return Empty{};
  const int status = early_media ? 183 : 180;
  stack_.ring(dialog_, status, early_media ? sdp_ : std::string());
  listener_.send(LegListener::progress,
                 {status, offer_.trunk_id, early_media, early_media ? port_ : Handle()});
  return Empty{};
}

Result<Empty> InboundLeg::reject(const telephony::Reject& why) {
  PB_TRY(check_unanswered());
  if (why.sip_status < 400 || why.sip_status > 699)
    return {Code::invalid, "sip_status must be 400 to 699, such as 486"};
  const std::string phrase = phrase_of(why.sip_status);
  refuse({static_cast<int>(why.sip_status), phrase, 0, warning_of(why.reason)}, why.reason);
  return Empty{};
}

bool InboundLeg::prepare_media() {
  if (port_) return true;
  Status ready = open_sockets();
  if (ready) ready = media_.use_security(trunk_, log_);
  if (ready) {
    auto sdp = media_.negotiation().answer_invite(invite_.source, trunk_.media, invite_.sdp);
    if (sdp) sdp_ = *std::move(sdp);
    ready = sdp ? Status() : Status(sdp.error());
    if (ready) port_ = media_.open_port();
    if (ready && port_) media_.show_audio(live_);
    if (ready && !port_) ready = {Code::unavailable, "no audio port"};
  }
  if (ready) return true;
  failure_ = "no usable media: " + ready.error().text;
  const bool is_ours = ready.error().code == Code::unavailable || ready.error().code == Code::exhausted;
  if (is_ours) {
    refuse({503, phrase_of(503), 0, {}}, failure_);
  } else {
    refuse({488, "Not Acceptable Here", 0, warning_of(ready.error().text)}, failure_);
  }
  return false;
}

void InboundLeg::refuse(const Refusal& refusal, const std::string& why) {
  if (std::exchange(is_over_, true)) return;
  log_.info("refusing the call", {{"sip", refusal.status}, {"why", why}});
  stack_.refuse(dialog_, refusal);
}

void InboundLeg::hangup() {
  if (std::exchange(is_over_, true)) return;
  search_.cancel(ended_as("local", ""));
  media_.stop_watch();
  hang_up_dialog();
}

void InboundLeg::fail(const std::string& why) {
  failure_ = why;
  hangup();
}

void InboundLeg::on_call_ended(const DialogEnd& ended) {
  is_over_ = true;
  telephony::Ended result = hangup_cause(ended);
  if (!failure_.empty()) {
    result.cause = "failed";
    result.detail = failure_;
  }
  result.answered = is_answered_;
  search_.cancel(result);
  close(std::move(result));
}

void InboundLeg::close(telephony::Ended ended) {
  if (std::exchange(closed_, true)) return;
  is_over_ = true;
  live_.end();
  media_.stop_watch();
  listener_watch_ = EndWatch();
  ended.trunk_id = offer_.trunk_id;
  media_.add_statistics(ended, log_);
  log_.info("the call has ended",
            {{"cause", ended.cause}, {"sip", ended.sip_status}, {"detail", ended.detail}});
  if (metrics_) metrics_(ended);
  close_leg(ended, std::move(on_closed_));
}

}  // namespace patchbay::sip_trunk
