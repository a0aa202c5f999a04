// Types between the SIP stack and its owner; independent of sofia-sip.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "codec/codec.h"
#include "dialogs/refer_to.h"
#include "rtp/address.h"
#include "sdp/sdp_security.h"
#include "stack/transport.h"
#include "tls/tls_files.h"
#include "trunks/address_range.h"
#include "trunks/trunk_limits.h"

namespace patchbay::sip_trunk {

using DialogId = uint64_t;

// A host of a trunk.
struct TrunkHost {
  std::string name;   // or numeric address, IPv6 without brackets
  uint16_t port = 0;  // 0: from SRV records, else the transport's default
  friend bool operator==(const TrunkHost&, const TrunkHost&) = default;
};

// What our SDP offers a trunk, and accepts from it.
struct TrunkMedia {
  std::vector<lib::Codec> codecs = {lib::Codec::pcma, lib::Codec::pcmu};  // in order of preference
  bool events = true;                                                     // telephone-event
  bool comfort_noise = false;
  bool suppress_silence = false;  // send comfort noise instead of silence, if the trunk agrees to it
};

// How to reach a trunk, and our identity there.
struct TrunkAccess {
  std::string host;                      // likewise
  uint16_t port = 0;                     // likewise
  std::vector<TrunkHost> other_hosts{};  // tried after `host`
  Transport transport = Transport::udp;
  bool may_use_tls = false;        // with the next one: those records may choose TLS
  bool is_transport_open = false;  // NAPTR and SRV records choose the transport, by default `transport`
  std::string username;            // empty: challenges are not answered
  std::string password;
  std::string realm;           // the only realm whose challenges are answered
  std::string from_domain;     // empty: the host
  std::string caller_id;       // the user part of From; empty: anonymous
  std::string asserted_id;     // the user part of P-Asserted-Identity (RFC 3325); empty: the caller id
  bool accepts_refer = false;  // far ends may transfer their calls, at our expense
  bool hides_caller = false;   // From is anonymous, and Privacy asks that the identity stays with the trunk
  TrunkLimit limit;
  bool registers = false;               // we REGISTER there as `username`
  int64_t register_sec = 0;             // for how long, if the trunk grants it
  std::vector<AddressRange> sources{};  // calls may also come from these
  int64_t probe_sec = 0;                // interval of OPTIONS; 0: only while it is down
  int64_t session_sec = 0;              // of the session timer that our INVITE offers (RFC 4028); 0: none
  bool offers_100rel = false;           // reliable ringing (RFC 3262)
  lib::SrtpPolicy srtp = lib::SrtpPolicy::off;
  lib::SrtpKeying srtp_keying = lib::SrtpKeying::sdes;
  TrunkMedia media{};
  TrunkTlsFiles tls_files{};

  // Whether it is the same account at the same place.
  bool is_same_account(const TrunkAccess& other) const {
    return host == other.host && port == other.port && transport == other.transport &&
           is_transport_open == other.is_transport_open && other_hosts == other.other_hosts &&
           username == other.username && realm == other.realm && from_domain == other.from_domain;
  }
  // Whether requests go to the same place, in the same way.
  bool is_same_place(const TrunkAccess& other) const {
    return is_same_account(other) && probe_sec == other.probe_sec && registers == other.registers &&
           password == other.password && register_sec == other.register_sec;
  }
};

// An address of a trunk.
struct Target {
  Target(lib::SocketAddress at, std::string of = {}) : address(at), host(std::move(of)) {}
  lib::SocketAddress address;
  std::string host;  // the configured host that it belongs to
};

// The trunk id of calls to a telephone: no trunk's, because those have no '@'.
inline std::string contact_trunk_id(const std::string& user) { return "@" + user; }
inline bool is_contact_trunk_id(std::string_view id) { return !id.empty() && id.front() == '@'; }

// A telephone of a user, and how the call is shown there.
struct ContactTarget {
  std::string uri;          // that it registered
  std::string user;         // whom the call is for, a user of the tenant
  std::string from_number;  // of the caller, normalised; "": withheld
};

struct OutboundCall {
  TrunkAccess trunk;
  std::optional<ContactTarget> contact{};  // then the INVITE goes to `targets`, and for this telephone
  std::string tenant;                      // for StoredDialog
  std::string trunk_id;                    // likewise
  // Addresses of the trunk's host, tried in order; may be empty if the host is numeric.
  std::vector<Target> targets;
  std::string number;        // normalised: digits after an optional '+'
  std::string display_name;  // any text; characters not allowed in a header are removed
  std::string call_id;       // call id and attempt together make the Call-ID
  uint32_t attempt = 1;
  std::string offer;                  // SDP
  std::string replaces{};             // value of Replaces; "": none
  uint32_t no_answer_timeout_ms = 0;  // from the INVITE to the final answer; Dial::ring_timeout_ms
};

// An INVITE that begins a call to us.
struct InboundInvite {
  lib::SocketAddress source;
  std::string call_id;       // Call-ID, for logs
  std::string called_user;   // user part of the request URI
  std::string to_user;       // user part of To
  std::string calling_user;  // user part of P-Asserted-Identity or else From; "" if the caller withholds it
  std::string display_name;  // of the caller; ""
  std::string sdp;           // "": it asks for our offer
  DialogId replaced = 0;     // our answered dialog that it is to replace (RFC 3891); 0: none
};

// Whose inbound call it is: for StoredDialog, and for challenges of our BYE.
struct CallOwner {
  std::string tenant;
  std::string trunk_id;
  TrunkAccess trunk;
};

// A final answer that refuses an INVITE.
struct Refusal {
  int status = 480;
  std::string phrase = "Temporarily Unavailable";
  int64_t retry_after_sec = 0;  // 0: none
  std::string warning{};        // value of Warning; "": none
};

enum class EndReason {
  rejected,      // final answer other than 2xx, in sip_status
  silence,       // no answer of any kind
  transport,     // the request could not be sent
  no_answer,     // no final answer within the caller's timeout
  no_media,      // answered without SDP
  lost,          // answered, but the peer has lost the dialog
  cancelled,     // we hung up before the answer, or refused the call
  local_hangup,  // we hung up after it
  stopped,       // this server stops
  far_hangup,    // the peer hung up, or cancelled its INVITE
};

struct DialogEnd {
  EndReason reason = EndReason::transport;
  int sip_status = 0;    // 0 if no answer decided
  std::string text{};    // the reason phrase, at most 200 bytes of printable ASCII
  std::string detail{};  // more reasons: Reason, Warning, why a challenge was not answered
};

// How our REFER goes: after `accepted`, and `rings`, one of the next two follows; the other kinds are the
// last.
struct ReferStep {
  enum class Kind {
    accepted,    // the far end tries it
    rings,       // the far end reports progress of its call, so it reports the end, too
    reported,    // with the final status of the call that it made
    unreported,  // it was accepted, but no final status comes
    refused,     // with the status of the refusal; 0: there was no answer
  };
  Kind kind = Kind::refused;
  int status = 0;
  std::string text{};  // the reason phrase, or why there was no answer; at most 200 bytes
};

// Everything that another process needs to end an answered dialog: header values and destination.
struct StoredDialog {
  std::string call_id;
  std::string tenant;  // whose configuration has the trunk's credentials
  std::string trunk_id;
  std::string from;
  std::string to;
  std::string target;    // request URI
  std::string routes;    // Route header value; empty without a route set
  std::string next_hop;  // URL with a numeric host
  uint32_t sequence = 0;
};

// Counters of the stack since its start.
struct StackCounts {
  // Requests answered with an error because of their sender's address or their rate.
  uint64_t refused_foreign = 0;  // inside a dialog, from another address than its peer's
  uint64_t refused_rate = 0;     // outside of dialogs, beyond the limit
  // TCP connections that were shut down: see TcpWatch.
  uint64_t tcp_peer_closed = 0;
  uint64_t tcp_idle = 0;
  uint64_t tcp_excess = 0;
  // REGISTER requests over UDP that got a challenge, or no answer, without a transaction.
  uint64_t registers_challenged = 0;
  uint64_t registers_dropped = 0;
};

// Records which answered dialogs may still be up at the peer. Called on the sip thread. `call_id` and `from`
// together identify a dialog: a call has the same call_id on trunks of one domain, but each dialog has its
// own tag in `from`.
class DialogLog {
 public:
  virtual void dialog_up(const StoredDialog& dialog) = 0;
  // `confirmed`: the peer has ended the dialog, answered our BYE, or no longer knows the dialog. Otherwise
  // the BYE was refused or never answered, and the call may still be up at the peer.
  virtual void dialog_down(const StoredDialog& dialog, bool confirmed) = 0;

 protected:
  ~DialogLog() = default;
};

// Receives the events of a dialog on the sip thread. Return quickly, and call nothing of the stack but
// hangup(). on_ended comes exactly once, as the last event. on_progress and on_answered come of outbound
// calls only.
class DialogListener {
 public:
  // A provisional answer, 101 to 199. `sdp` is empty without early media; `peer_ip` is the address that the
  // answer came from.
  virtual void on_progress(DialogId id, int status, std::string_view sdp, std::string_view peer_ip) = 0;
  virtual void on_answered(DialogId id, std::string_view sdp, std::string_view peer_ip) = 0;
  // A re-INVITE or UPDATE. Returns our SDP answer; empty refuses it (488). An empty `sdp` asks for our offer;
  // on_reanswer brings the peer's answer to it, as to the offer in our answer to an INVITE without one.
  virtual std::string on_reoffer(DialogId id, std::string_view sdp) = 0;
  virtual void on_reanswer(DialogId id, std::string_view sdp) = 0;
  // A DTMF digit in an INFO.
  virtual void on_info_digit(DialogId, char) {}
  // The final answer to our re-INVITE: 200 with SDP, or another status; 0: none came.
  virtual void on_reoffer_answered(DialogId id, int status, std::string_view sdp) = 0;
  // Our REFER: see ReferStep.
  virtual void on_refer(DialogId, const ReferStep&) {}
  // A REFER of the far end, which is accepted; report_refer() tells it how that goes.
  virtual void on_far_refer(DialogId, const ReferTarget&) {}
  virtual void on_ended(DialogId id, const DialogEnd& ended) = 0;

 protected:
  ~DialogListener() = default;
};

}  // namespace patchbay::sip_trunk
