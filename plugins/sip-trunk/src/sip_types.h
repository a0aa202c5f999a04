// What the SIP stack and its owner tell each other. No sofia-sip in here.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "rtp/address.h"

namespace patchbay::sip_trunk {

using DialogId = uint64_t;

enum class Transport { udp, tcp };

// How to reach a trunk and who we are there.
struct TrunkAccess {
  std::string host;  // a name or a numeric address, IPv6 without brackets
  uint16_t port = 5060;
  Transport transport = Transport::udp;
  std::string username;  // empty: challenges are not answered
  std::string password;
  std::string realm;        // the only realm whose challenges are answered
  std::string from_domain;  // empty: the host
  std::string caller_id;    // the user part of From; empty: anonymous
};

struct OutboundCall {
  TrunkAccess trunk;
  std::string tenant;    // for StoredDialog
  std::string trunk_id;  // likewise
  // Where the trunk's host is, tried in order; may be empty when that is a numeric address.
  std::vector<lib::SocketAddress> targets;
  std::string number;        // normalised: digits behind an optional '+'
  std::string display_name;  // any text; what cannot stand in a header is removed
  std::string call_id;       // of the call, and below it the attempt: together they make the Call-ID
  uint32_t attempt = 1;
  std::string offer;                      // SDP
  uint32_t no_answer_timeout_ms = 45000;  // from the INVITE to the final answer
};

enum class EndReason {
  rejected,      // a final answer other than 2xx: sip_status
  silence,       // nothing came at all
  transport,     // the request could not be sent
  no_answer,     // it rang, or was tried, for too long
  no_media,      // answered without SDP
  lost,          // answered, but the peer no longer takes part in the dialog
  cancelled,     // we hung up before the answer
  local_hangup,  // we hung up after it
  far_hangup,    // the peer hung up
};

struct DialogEnd {
  EndReason reason = EndReason::transport;
  int sip_status = 0;    // 0 where no answer decided
  std::string text{};    // the reason phrase, at most 200 bytes of printable ASCII
  std::string detail{};  // what else is known: Reason, Warning, why a challenge was not answered
};

// What it takes to end an answered dialog from another process: header values, and where to send.
struct StoredDialog {
  std::string call_id;
  std::string tenant;  // where its trunk's credentials are configured
  std::string trunk_id;
  std::string from;
  std::string to;
  std::string target;    // request URI
  std::string routes;    // Route header value; empty without a route set
  std::string next_hop;  // URL with a numeric host
  uint32_t sequence = 0;
};

// What the stack has counted since it started.
struct StackCounts {
  // Requests that were answered with an error for where, or how often, they came.
  uint64_t refused_foreign = 0;  // inside a dialog, not from its peer
  uint64_t refused_rate = 0;     // outside of any, beyond the limit
  // TCP connections that were shut down: see TcpWatch.
  uint64_t tcp_peer_closed = 0;
  uint64_t tcp_idle = 0;
  uint64_t tcp_excess = 0;
};

// Told on the sip thread which answered dialogs may still be up at the peer. A dialog is known by its call_id
// and its from, whose tag is its own: trunks of one domain get the same call_id for a call.
class DialogLog {
 public:
  virtual void dialog_up(const StoredDialog& dialog) = 0;
  // `confirmed`: the peer has ended the dialog, answered our BYE, or no longer knows the dialog. Otherwise
  // the BYE was refused or never answered, and the call may still be up at the peer.
  virtual void dialog_down(const StoredDialog& dialog, bool confirmed) = 0;

 protected:
  ~DialogLog() = default;
};

// What happens to a dialog, told on the sip thread: return soon, and call nothing of the stack but hangup().
// on_ended comes exactly once and last.
class DialogListener {
 public:
  // 101 to 199. `sdp` is empty without early media; `peer_ip` is where the answer came from.
  virtual void on_progress(DialogId id, int status, std::string_view sdp, std::string_view peer_ip) = 0;
  virtual void on_answered(DialogId id, std::string_view sdp, std::string_view peer_ip) = 0;
  // A re-INVITE; returns the answer, or nothing to refuse it (488). An empty `sdp` asks for our offer; what
  // the peer answers to that comes by on_reanswer.
  virtual std::string on_reoffer(DialogId id, std::string_view sdp) = 0;
  virtual void on_reanswer(DialogId id, std::string_view sdp) = 0;
  virtual void on_ended(DialogId id, const DialogEnd& ended) = 0;

 protected:
  ~DialogListener() = default;
};

}  // namespace patchbay::sip_trunk
