// patchbay.telephony: places calls through trunks. Offered by sip-trunk. Maturity: experimental.
//
// A call out is a leg: dial() gives its handle at once, and what happens to it is told to the caller's
// listener, on the listener's strand, in order, and ends with exactly one ended(). Gates are asked before the
// first INVITE of a dial.
#pragma once

#include "../service.h"

namespace patchbay::telephony {

struct Dial {
  std::string call_id;  // "oac-0123456789ab"
  int64_t attempt = 1;  // SIP Call-ID is <call_id>-<attempt>@...
  std::string tenant;
  std::string number;        // normalised, "+4930123456"
  std::string display_name;  // caller-id label
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

// A call out, held by who dialled it.
// Thread: runs on the provider's main strand, answers on the strand of the caller.
// Lifetime: gone after ended(); calls are then answered with Code::gone.
// Since: 0.1
struct Leg {
  static constexpr char id[] = "patchbay.telephony.leg/1";
  // CANCEL while ringing, BYE after; ended() follows.
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
  // "far" (the other side hung up), "local" (hangup()), "no-answer" (busy, declined, rang out), "failed"
  // (technical), "denied" (a gate said no).
  std::string cause;
  bool answered = false;
  int64_t sip_status = 0;  // last final status; 0: none
  std::string detail;      // reason for a person; "" after an ordinary hang-up. For "no-answer" it is one of
                           // "busy (486)", "declined (603)", "unreachable (480)", "rang out"...
  std::string trunk_id;    // the last one tried
  // What follows was added in 0.2; an older provider leaves the defaults.
  std::string sip_reason;      // phrase of the last final status, and its Reason, Warning, Retry-After
  std::string earlier_trunks;  // why the trunks before the last one failed: "main: SIP 503 Busy, spare: ..."
  int64_t rtp_received = 0;    // packets
  int64_t rtp_lost = 0;
  int64_t rtp_late = 0;     // came too late to be played
  int64_t rtp_refused = 0;  // from a wrong source, malformed or of an unknown payload type
  int64_t rtp_jitter_us = 0;
  int64_t rtp_far_lost_percent = -1;  // of what was sent, as the peer reported last; -1: it did not
  int64_t rtp_dropped = 0;            // by the kernel: of other hosts than the peer's, or too many at once
  PATCHBAY_FIELDS(cause, answered, sip_status, detail, trunk_id, sip_reason, earlier_trunks, rtp_received,
                  rtp_lost, rtp_late, rtp_refused, rtp_jitter_us, rtp_far_lost_percent, rtp_dropped)
};

// What the caller of dial() provides, to be told.
// Thread: runs on the strand that the listener was provided on, in order.
// Lifetime: must be there until ended(); nothing comes after that.
// Since: 0.1
struct LegListener {
  static constexpr char id[] = "patchbay.telephony.leg.listener/1";
  // A provisional answer; any number of them.
  static constexpr Method<0, Progress, Empty> progress{"progress"};
  // At most once. The port lives as long as the leg.
  static constexpr Method<1, Answered, Empty> answered{"answered"};
  // A key that was pressed at the other end.
  static constexpr Method<2, Digit, Empty> digit{"digit"};
  // Exactly once, as the last.
  static constexpr Method<3, Ended, Empty> ended{"ended"};
  static constexpr auto methods() { return std::make_tuple(progress, answered, digit, ended); }
};

struct Check {
  std::string tenant;
  std::string number;  // normalised
  std::string call_id;
  std::string correlation;
  PATCHBAY_FIELDS(tenant, number, call_id, correlation)
};

struct Verdict {
  bool allowed = false;
  std::string reason;  // "not whitelisted"
  PATCHBAY_FIELDS(allowed, reason)
};

// What a gate provides.
// Thread: runs on the strand that the gate was provided on.
// Lifetime: withdrawn, it refuses every dial until another of its name is added.
// Since: 0.1
struct DialGate {
  static constexpr char id[] = "patchbay.telephony.gate/1";
  // May this number be dialled? A gate that fails, or is gone, refuses: no gate is ever skipped.
  static constexpr Method<0, Check, Verdict> check{"check"};
  static constexpr auto methods() { return std::make_tuple(check); }
};

struct AddGate {
  std::string name;  // for the log
  Handle gate;       // instance of DialGate
  PATCHBAY_FIELDS(name, gate)
};

struct StatusOf {
  std::string tenant;
  PATCHBAY_FIELDS(tenant)
};

struct TelephonyStatus {
  bool configured = false;  // the tenant has a trunk
  bool able = false;        // and it could dial now
  std::string reason;
  PATCHBAY_FIELDS(configured, able, reason)
};

// Calls out, and the gates before them.
// Thread: runs on the provider's main strand, answers on the strand of the caller.
// Lifetime: legs and gates end with the provider; add gates again when it is back (DialGateRegistration in
// dial_gate.h does). Since: 0.1
struct Telephony {
  static constexpr char id[] = "patchbay.telephony/1";
  // Answers at once; gates and trunks follow. Code::not_found: no trunk is configured for the number;
  // Code::unavailable: the server is stopping. After an error nothing is told to the listener.
  static constexpr Method<0, Dial, Dialled> dial{"dial"};
  // From now on every dial asks it. A gate of the same name is replaced.
  static constexpr Method<1, AddGate, Empty> add_gate{"add_gate"};
  // Whether a tenant could dial now; asks nobody outside.
  static constexpr Method<2, StatusOf, TelephonyStatus> status{"status"};
  static constexpr auto methods() { return std::make_tuple(dial, add_gate, status); }
};

}  // namespace patchbay::telephony
