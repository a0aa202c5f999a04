// patchbay.telephony.calls: access to calls that other plugins own: lists them, listens to them and speaks in
// them. Provided by sip-trunk, for the plugins that its setting callAccess names: all others get
// Code::denied. Maturity: experimental.
//
// The audio of an access is a port, to be joined with a port of the caller (patchbay.audio); CallAccess
// (call_access.h) does that. What is heard is a copy, so that it neither delays nor changes the call. What is
// said is added to the call's own audio:
//
//   tap        hear = "both" (or one side)
//   play into  say = "both", or one side
//   whisper    say = "near": only the call's owner hears it, for example a supervisor's words to an agent
//   record     tap, and the Recorder of CallAccess
#pragma once

#include "../service.h"

namespace patchbay::telephony {

struct ListCalls {
  std::string tenant;
  PATCHBAY_FIELDS(tenant)
};

struct CallList {
  // JSON array, the oldest first: {"callId": "oac-0123456789ab", "direction": "inbound" or "outbound",
  // "number": "+4930123456" (the far end's; "": withheld), "did": "+49309" (that was called; "" if outbound),
  // "state": "dialling", "ringing" or "answered", "trunk": "main", "startedMs": 1763629812345}
  std::string calls;
  PATCHBAY_FIELDS(calls)
};

struct OpenAccess {
  std::string tenant;
  std::string call_id;
  // Which side's audio the access hears: "far" (the telephone), "near" (what the call's owner lets it hear),
  // "both", "" (none).
  std::string hear;
  // To which side what it says is added: "far", "near", "both", "" (none).
  std::string say;
  PATCHBAY_FIELDS(tenant, call_id, hear, say)
};

struct Access {
  int64_t access = 0;
  Handle port;          // pull: what it hears; push: what it says; at the rate of the call
  int64_t rate_hz = 0;  // of the port
  PATCHBAY_FIELDS(access, port, rate_hz)
};

struct CloseAccess {
  int64_t access = 0;
  PATCHBAY_FIELDS(access)
};

// Thread: runs on the provider's main strand, answers on the strand of the caller.
// Lifetime: an access lasts until close(), or until the call, its caller or the provider ends; then its port
//   is closed, and with it its join.
// Since: 0.1
struct Calls {
  static constexpr char id[] = "patchbay.telephony.calls/1";
  // Lists the calls of a tenant that this server has. Code::denied: the configuration does not grant it.
  static constexpr Method<0, ListCalls, CallList> list{"list"};
  // Opens an access to an answered call, or to one with early media; eight per call at most. Code::denied:
  // the configuration does not grant it. Code::not_found: the tenant has no such call. Code::conflict: the
  // call has no audio yet. Code::invalid: hear or say is not one of the above, or both are "".
  // Code::exhausted: too many accesses.
  static constexpr Method<1, OpenAccess, Access> open{"open"};
  // Ends an access of the calling plugin; replies when the call does not use it any more. No-op for an
  // unknown one.
  static constexpr Method<2, CloseAccess, Empty> close{"close"};
  static constexpr auto methods() { return std::make_tuple(list, open, close); }
};

}  // namespace patchbay::telephony
