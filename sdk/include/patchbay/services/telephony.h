// patchbay.telephony: places calls through trunks, and offers the calls that come from them. Provided by
// sip-trunk. Maturity: experimental.
//
// A call is a leg, whose events go to its owner's listener, on the listener's strand, in order, up to exactly
// one ended(). An outgoing call's owner is the caller of dial(), which returns the leg at once; the dial
// gates are checked before the first INVITE. An inbound call is offered to the answerers, one by one; the
// first that takes it is its owner. A leg whose listener is gone is hung up.
#pragma once

#include "../service.h"

namespace patchbay::telephony {

struct Dial {
  std::string call_id;  // "oac-0123456789ab"
  int64_t attempt = 1;  // SIP Call-ID is <call_id>-<attempt>@...
  std::string tenant;
  std::string number;        // normalised: "+4930123456"
  std::string display_name;  // display name of the caller
  // How long the callee's telephone may ring. ai-voice sets it from its setting ringTimeoutSec.
  int64_t ring_timeout_ms = 60000;
  Handle listener;  // instance of LegListener
  std::string correlation;
  PATCHBAY_FIELDS(call_id, attempt, tenant, number, display_name, ring_timeout_ms, listener, correlation)
};

struct Dialled {
  Handle leg;  // instance of Leg; gone after ended()
  PATCHBAY_FIELDS(leg)
};

struct Hangup {
  std::string reason;  // for the log
  // The call to a contact that still rings was answered at another one of the user: it is no missed call.
  bool answered_elsewhere = false;
  PATCHBAY_FIELDS(reason, answered_elsewhere)
};

struct Ring {
  // Sends 183 with early media instead of 180: the caller hears what is played into the port, which
  // progress() brings.
  bool early_media = false;
  PATCHBAY_FIELDS(early_media)
};

struct Reject {
  int64_t sip_status = 480;  // 400 to 699: 486 busy, 603 declined, 404 no such number...
  std::string reason;        // for people, in the log and at the caller's carrier; "": none
  PATCHBAY_FIELDS(sip_status, reason)
};

struct Hold {
  bool held = true;  // false: resumes the call
  PATCHBAY_FIELDS(held)
};

struct Digits {
  std::string digits;  // up to 32 of 0 to 9, *, #, A to D, and "," for a pause of 2 s
  PATCHBAY_FIELDS(digits)
};

// Blind: `number`. Attended: `leg`.
struct Transfer {
  std::string number;  // normalised; whom the far end is to call, through the same trunk
  Handle leg;          // instance of Leg, answered, of the same owner and trunk: with whose far end it is to
                       // talk
  int64_t timeout_ms = 60000;  // until the final status; 1 s to 3 minutes
  PATCHBAY_FIELDS(number, leg, timeout_ms)
};

struct Transferred {
  // The far end has reached the other party: hang up, if it has not done so. False: the call goes on as
  // before.
  bool completed = false;
  int64_t sip_status = 0;  // of the far end's call, or of its refusal; 202: it has accepted, and either has
                           // left the call or does not report how it went
  std::string detail;      // "busy (486)"; "" when completed
  PATCHBAY_FIELDS(completed, sip_status, detail)
};

// A call, controlled by its owner.
// Thread: runs on the provider's main strand, answers on the strand of the caller.
// Lifetime: until ended(); then methods fail with Code::gone.
// Since: 0.1
struct Leg {
  static constexpr char id[] = "patchbay.telephony.leg/1";
  // Ends the call: CANCEL while ringing (480 if it is inbound), BYE afterwards; ended() follows.
  static constexpr Method<0, Hangup, Empty> hangup{"hangup"};
  // Answers an inbound call; answered() follows, or ended() if there is no audio that both sides support.
  // Code::conflict: it is not an inbound call that was taken and waits for its answer.
  static constexpr Method<1, Empty, Empty> answer{"answer"};
  // Tells the caller of an inbound call that it rings; fails as answer() does. An inbound call that is not
  // answered within three minutes ends as "no-answer".
  static constexpr Method<2, Ring, Empty> ring{"ring"};
  // Refuses an inbound call with a cause; ended() follows. Fails as answer() does.
  static constexpr Method<3, Reject, Empty> reject{"reject"};
  // Puts the far end on hold, or resumes the call, with a re-INVITE; replies once the far end has agreed.
  // While it is held it sends no audio, and hears what is played into the port. Code::conflict: the call is
  // not answered, or the reply to another hold is pending. Code::denied: the far end refuses, and the media
  // stay as they are.
  static constexpr Method<4, Hold, Empty> hold{"hold"};
  // Sends keys as telephone events (RFC 4733), one after the other, while the port is joined; replies when
  // they are queued. Code::unsupported: the far end does not take them. Code::conflict: the call is not
  // answered.
  static constexpr Method<5, Digits, Empty> send_digits{"send_digits"};
  // Asks the far end, with REFER, to call another party instead of us, and replies when it has the outcome.
  // The number is first asked of the dial gates, also that of the other leg. Code::denied: a gate refuses it,
  // and nothing is sent. Code::unsupported: the far end or its trunk does not transfer calls. Code::conflict:
  // a call is not answered, or another transfer is under way. Code::timeout: no outcome in time; the far end
  // may still try. After an error the call goes on.
  static constexpr Method<6, Transfer, Transferred> transfer{"transfer"};
  static constexpr auto methods() {
    return std::make_tuple(hangup, answer, ring, reject, hold, send_digits, transfer);
  }
};

struct Progress {
  int64_t sip_status = 0;  // 180, 183
  std::string trunk_id;
  bool early_media = false;
  Handle port = {};  // with the early media of an inbound call: as in Answered
  PATCHBAY_FIELDS(sip_status, trunk_id, early_media, port)
};

struct Answered {
  std::string trunk_id;
  int64_t answer_ms = 0;  // INVITE to 200 OK
  Handle port;  // the leg's audio at the codec's rate, 8, 16 or 48 kHz both ways; 0: the answer to a dial
                // carried no usable media
  PATCHBAY_FIELDS(trunk_id, answer_ms, port)
};

struct Digit {
  std::string digit;  // "0".."9", "*", "#", "A".."D"
  PATCHBAY_FIELDS(digit)
};

struct Ended {
  // "far" (the far end hung up, or cancelled an inbound call), "local" (hangup(), reject()), "no-answer"
  // (busy, declined, rang out; an inbound call was not answered), "failed" (technical), "denied" (by a gate).
  std::string cause;
  bool answered = false;
  int64_t sip_status = 0;      // last final status; 0: none
  std::string detail;          // readable reason; "" after an ordinary hang-up. For "no-answer" it is one of
                               // "busy (486)", "declined (603)", "unreachable (480)", "rang out"...
  std::string trunk_id;        // the last trunk tried
  std::string sip_reason;      // phrase of the last final status, with its Reason, Warning, Retry-After
  std::string earlier_trunks;  // why the trunks before the last one failed: "main: SIP 503 Busy, spare: ..."
  int64_t rtp_received = 0;    // packets
  int64_t rtp_lost = 0;
  int64_t rtp_late = 0;     // arrived too late to be played
  int64_t rtp_refused = 0;  // from a wrong source, malformed or of an unknown payload type
  int64_t rtp_jitter_us = 0;
  int64_t rtp_far_lost_percent = -1;  // loss of sent packets in the peer's last report; -1: no report
  int64_t rtp_dropped = 0;            // by the kernel: from other hosts than the peer, or too many at once
  int64_t rtp_round_trip_us = 0;      // to the peer and back, by its last report; 0: not known
  int64_t rtp_delay_ms = 0;  // the longest that received audio was kept until it was played: by the jitter
                             // buffer, or for a missing packet if the listener is an AI engine
  PATCHBAY_FIELDS(cause, answered, sip_status, detail, trunk_id, sip_reason, earlier_trunks, rtp_received,
                  rtp_lost, rtp_late, rtp_refused, rtp_jitter_us, rtp_far_lost_percent, rtp_dropped,
                  rtp_round_trip_us, rtp_delay_ms)
};

// Receives the events of a leg; provided by its owner.
// Thread: runs on the strand that the listener was provided on, in order.
// Lifetime: must be provided until ended(), the last call; the call is hung up when it is withdrawn earlier.
// Since: 0.1
struct LegListener {
  static constexpr char id[] = "patchbay.telephony.leg.listener/1";
  // A provisional response, received or sent; any number of them.
  static constexpr Method<0, Progress, Empty> progress{"progress"};
  // The call was answered; at most once. The port lives as long as the leg.
  static constexpr Method<1, Answered, Empty> answered{"answered"};
  // The far end pressed a key (DTMF).
  static constexpr Method<2, Digit, Empty> digit{"digit"};
  // The call has ended; called exactly once, last.
  static constexpr Method<3, Ended, Empty> ended{"ended"};
  static constexpr auto methods() { return std::make_tuple(progress, answered, digit, ended); }
};

struct Check {
  std::string tenant;
  std::string number;  // normalised
  std::string call_id;
  std::string correlation;
  bool dry_run = false;  // nothing is dialled: only for an explanation, so a refusal is not counted or logged
  PATCHBAY_FIELDS(tenant, number, call_id, correlation, dry_run)
};

struct Verdict {
  bool allowed = false;
  std::string reason;       // "not whitelisted"
  std::string detail = {};  // what decided, for people: "the entry +49 30 123456 (dentist)"
  PATCHBAY_FIELDS(allowed, reason, detail)
};

// A dial gate.
// Thread: runs on the strand that the gate was provided on.
// Lifetime: once it is withdrawn, every dial is refused until a gate of the same name is added.
// Since: 0.1
struct DialGate {
  static constexpr char id[] = "patchbay.telephony.gate/1";
  // Decides whether a number may be dialled. A gate that fails or is gone refuses, so that none is skipped.
  static constexpr Method<0, Check, Verdict> check{"check"};
  static constexpr auto methods() { return std::make_tuple(check); }
};

struct AddGate {
  std::string name;  // identifies the gate, also in the log
  Handle gate;       // instance of DialGate
  PATCHBAY_FIELDS(name, gate)
};

// An inbound call that is offered to an answerer.
struct Offer {
  Handle leg;           // instance of Leg
  std::string call_id;  // "vnum-0123456789ab" (for a virtual number), "sip-0123456789ab"
  std::string tenant;
  std::string did;           // the number that was called, normalised; "": none
  std::string from_number;   // the caller's, normalised; "": withheld, or no number
  std::string display_name;  // of the caller; ""
  std::string trunk_id;
  // What the tenant's inbound routes and virtual numbers decide: "number" (a virtual number that an AI voice
  // answers), "user" (who is to ring), "none" (nothing takes the call, which is refused unless an answerer
  // takes it). Calls to a number that is disabled are not offered.
  std::string target;
  std::string number;  // with "number": the virtual number, normalised
  std::string user;    // with "user"
  PATCHBAY_FIELDS(leg, call_id, tenant, did, from_number, display_name, trunk_id, target, number, user)
};

struct Taken {
  Handle listener;         // instance of LegListener, which makes the answerer the call's owner; 0: not taken
  int64_t sip_status = 0;  // without listener: 400 to 699 refuses the call; 0: the next answerer is asked
  std::string reason;      // with sip_status, as in Reject
  PATCHBAY_FIELDS(listener, sip_status, reason)
};

// Takes inbound calls.
// Thread: runs on the strand that the answerer was provided on.
// Lifetime: once it is withdrawn, it is not asked any more.
// Since: 0.1
struct Answerer {
  static constexpr char id[] = "patchbay.telephony.answerer/1";
  // Decides whether to take a call. After 5 s the next answerer is asked, and a later listener gets ended().
  // The leg's methods work once the reply has arrived: call them from the listener's strand after replying.
  static constexpr Method<0, Offer, Taken> offer{"offer"};
  static constexpr auto methods() { return std::make_tuple(offer); }
};

struct AddAnswerer {
  std::string name;      // identifies the answerer, also in the log
  Handle answerer;       // instance of Answerer
  int64_t priority = 0;  // higher ones are asked first, those with the same in the order of their names
  PATCHBAY_FIELDS(name, answerer, priority)
};

// A call that rings at one contact of a user.
struct RingContact {
  std::string call_id;  // the contacts of one call have the same
  int64_t fork = 1;     // which of them it is, from 1
  std::string tenant;   // whose user it is for, with the next one
  std::string user;
  std::string from_number;   // the caller's, normalised; "": withheld, or no number
  std::string display_name;  // of the caller; ""
  int64_t ring_timeout_ms = 60000;
  Handle listener;  // instance of LegListener
  std::string correlation;
  PATCHBAY_FIELDS(call_id, fork, tenant, user, from_number, display_name, ring_timeout_ms, listener,
                  correlation)
};

// A place where a user can be rung: a SIP telephone, a page in a browser. The provider of the place adds it
// with Telephony::add_contact when the user is reachable there, and withdraws it when that ends.
// Thread: runs on the strand that the contact was provided on.
// Lifetime: once it is withdrawn, it is not rung any more; calls that it has begun go on.
// Since: 0.1
struct Contact {
  static constexpr char id[] = "patchbay.telephony.contact/1";
  // Begins to ring there and replies at once with the leg, which behaves as one of dial(): progress() with
  // 180 when it rings, answered() with the audio, one ended(). hangup() ends the ringing. When it is not
  // answered, `sip_status` of ended() is 486 if the user is busy there, 603 if the user declines the call
  // everywhere, 480 if it rang out or cannot be reached. Code::denied: the user may not be rung there any
  // more. Code::unavailable: it cannot be reached. After an error the listener is not called.
  static constexpr Method<0, RingContact, Dialled> ring{"ring"};
  static constexpr auto methods() { return std::make_tuple(ring); }
};

struct AddContact {
  std::string tenant;
  std::string user;         // as in the inbound routes; case matters
  std::string name;         // identifies it among the user's contacts: "sip-17", "tab-5f21"
  std::string kind;         // "sip", "browser"...
  std::string description;  // for people: "192.0.2.7:5060 udp, Linphone/5.0"
  int64_t expires_ms = 0;   // wall clock, for people; 0: it has no end. The contact is withdrawn then
  Handle contact;           // instance of Contact
  PATCHBAY_FIELDS(tenant, user, name, kind, description, expires_ms, contact)
};

struct DialUser {
  std::string call_id;  // "sip-0123456789ab"
  std::string tenant;
  std::string user;
  std::string from_number;  // as in RingContact, with the next two
  std::string display_name;
  int64_t ring_timeout_ms = 60000;
  Handle listener;  // instance of LegListener
  std::string correlation;
  PATCHBAY_FIELDS(call_id, tenant, user, from_number, display_name, ring_timeout_ms, listener, correlation)
};

struct StatusOf {
  std::string tenant;
  PATCHBAY_FIELDS(tenant)
};

struct TelephonyStatus {
  bool configured = false;  // the tenant has a trunk
  bool able = false;        // true if it could dial now
  std::string reason;
  PATCHBAY_FIELDS(configured, able, reason)
};

struct Reserve {
  std::string call_id;  // of the dial() that follows
  std::string tenant;
  std::string number;  // normalised
  PATCHBAY_FIELDS(call_id, tenant, number)
};

struct Reserved {
  bool granted = false;
  std::string trunk_id;  // where the place is
  std::string detail;    // the limits that refuse: "maxCalls (30) of the trunk main"
  int64_t retry_ms = 0;  // when a place may be free; 0: when a call has ended
  PATCHBAY_FIELDS(granted, trunk_id, detail, retry_ms)
};

struct Release {
  std::string call_id;
  PATCHBAY_FIELDS(call_id)
};

// Calls, dial gates, answerers, and users with their contacts.
// Thread: runs on the provider's main strand, answers on the strand of the caller.
// Lifetime: legs, gates, answerers and contacts end with the provider; add them again when a provider
// appears, as DialGateRegistration (dial_gate.h) and AnswererRegistration (answerer.h) do.
// Since: 0.1
struct Telephony {
  static constexpr char id[] = "patchbay.telephony/1";
  // Starts a call; replies at once, before gates and trunks. Code::not_found: no trunk is configured for the
  // number. Code::unavailable: the server is stopping. After an error the listener is not called.
  static constexpr Method<0, Dial, Dialled> dial{"dial"};
  // Adds a gate, which is checked before every further dial; replaces one of the same name.
  static constexpr Method<1, AddGate, Empty> add_gate{"add_gate"};
  // Returns whether a tenant could dial now, without network traffic.
  static constexpr Method<2, StatusOf, TelephonyStatus> status{"status"};
  // Reserves a place for a call at the first trunk of its number that is below its limits, for 30 s; again
  // for the same call id it returns the first place. Code::not_found: no trunk is configured for the number.
  static constexpr Method<3, Reserve, Reserved> reserve{"reserve"};
  // Gives the reserved place of a call back that is not dialled after all; without one it has no effect.
  static constexpr Method<4, Release, Empty> release{"release"};
  // Adds an answerer, to which every further inbound call is offered; replaces one of the same name.
  static constexpr Method<5, AddAnswerer, Empty> add_answerer{"add_answerer"};
  // Adds a contact of a user, or replaces the one of that name, until it is withdrawn. Calls to the user ring
  // there from now on. Code::exhausted: the user, or the server, has too many.
  static constexpr Method<6, AddContact, Empty> add_contact{"add_contact"};
  // Rings all contacts of a user at once and replies at once; the gates are not asked. The first contact that
  // answers gets the call, the others stop ringing. The leg is as one of dial(). When no contact answers,
  // `sip_status` of ended() is 603 (or another 6xx) if one declines for all, which ends the others at once;
  // 486 if all that were reached are busy; else 480. Code::not_found: the user has no contact.
  static constexpr Method<7, DialUser, Dialled> dial_user{"dial_user"};
  static constexpr auto methods() {
    return std::make_tuple(dial, add_gate, status, reserve, release, add_answerer, add_contact, dial_user);
  }
};

}  // namespace patchbay::telephony
