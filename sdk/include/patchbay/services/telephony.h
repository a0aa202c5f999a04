// patchbay.telephony: places calls through trunks. Provided by sip-trunk. Maturity: experimental.
//
// An outgoing call is a leg: dial() returns its handle at once, and its events go to the caller's listener,
// on the listener's strand, in order, up to exactly one ended(). The dial gates are checked before the first
// INVITE.
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
  PATCHBAY_FIELDS(reason)
};

// An outgoing call, controlled by the caller of dial().
// Thread: runs on the provider's main strand, answers on the strand of the caller.
// Lifetime: until ended(); then methods fail with Code::gone.
// Since: 0.1
struct Leg {
  static constexpr char id[] = "patchbay.telephony.leg/1";
  // Ends the call: CANCEL while ringing, BYE afterwards; ended() follows.
  static constexpr Method<0, Hangup, Empty> hangup{"hangup"};
  static constexpr auto methods() { return std::make_tuple(hangup); }
};

struct Progress {
  int64_t sip_status = 0;  // 180, 183
  std::string trunk_id;
  bool early_media = false;
  PATCHBAY_FIELDS(sip_status, trunk_id, early_media)
};

struct Answered {
  std::string trunk_id;
  int64_t answer_ms = 0;  // INVITE to 200 OK
  Handle port;            // the leg's audio, 8 kHz both ways; 0: the answer carried no usable media
  PATCHBAY_FIELDS(trunk_id, answer_ms, port)
};

struct Digit {
  std::string digit;  // "0".."9", "*", "#", "A".."D"
  PATCHBAY_FIELDS(digit)
};

struct Ended {
  // "far" (the callee hung up), "local" (hangup()), "no-answer" (busy, declined, rang out), "failed"
  // (technical), "denied" (by a gate).
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
  PATCHBAY_FIELDS(cause, answered, sip_status, detail, trunk_id, sip_reason, earlier_trunks, rtp_received,
                  rtp_lost, rtp_late, rtp_refused, rtp_jitter_us, rtp_far_lost_percent, rtp_dropped)
};

// Receives the events of a leg; provided by the caller of dial().
// Thread: runs on the strand that the listener was provided on, in order.
// Lifetime: must be provided until ended(), the last call.
// Since: 0.1
struct LegListener {
  static constexpr char id[] = "patchbay.telephony.leg.listener/1";
  // A provisional response; any number of them.
  static constexpr Method<0, Progress, Empty> progress{"progress"};
  // The call was answered; at most once. The port lives as long as the leg.
  static constexpr Method<1, Answered, Empty> answered{"answered"};
  // The callee pressed a key (DTMF).
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

// Outgoing calls and dial gates.
// Thread: runs on the provider's main strand, answers on the strand of the caller.
// Lifetime: legs and gates end with the provider; add gates again when a provider appears, as
// DialGateRegistration (dial_gate.h) does.
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
  static constexpr auto methods() { return std::make_tuple(dial, add_gate, status, reserve, release); }
};

}  // namespace patchbay::telephony
