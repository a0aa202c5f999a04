// SipStack: the SIP user agent: one listen address (UDP, and TCP on the same port), one thread, any number of
// dialogs. The kernel drops messages from addresses that are neither an allowed peer nor a peer
// of a running call. Hides sofia-sip from the plugin.
#pragma once

#include <patchbay/result.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "ladder/sofia_message_log.h"
#include "registrar/challenges.h"
#include "registrar/register_types.h"
#include "stack/sip_limits.h"
#include "stack/sip_types.h"
#include "tls/certificates.h"
#include "trunks/trunk_request.h"

namespace patchbay::sip_trunk {

class UserAgent;

class SipStack {
 public:
  struct Options {
    std::string listen_ip{};
    uint16_t listen_port = 0;  // 0: the kernel chooses
    // Address shown in Via and Contact. Empty: listen_ip, or if that is 0.0.0.0 or ::, the source address
    // that the routing table chooses for each trunk.
    std::string advertise{};
    bool tcp = true;        // listen on TCP too, without which no call can use a TCP trunk
    bool tls = false;       // likewise for TLS
    uint16_t tls_port = 0;  // 0: the one after listen_port; if that is 0, the kernel chooses
    std::shared_ptr<const TlsCertificates> certificates{};  // for TLS; without them no connection is made
    // Peers that may send to us in addition to those of running calls.
    std::vector<lib::SocketAddress> allowed_peers{};
    std::string user_agent = "Patchbay";
    // Time from a request to its first answer of any kind, 100 included.
    uint32_t silence_timeout_ms = 0;
    uint32_t transaction_timeout_ms = kTransactionTimeoutMs;  // shorter only in tests
    uint32_t tcp_keepalive_ms = kTcpKeepaliveMs;              // likewise
    int64_t min_session_sec = kMinSessionSec;                 // likewise
    DialogLog* log = nullptr;                                 // outlives the stack
    MessageListener* messages = nullptr;                      // gets every message; likewise
    // A call from an allowed peer, for take(); without this it is refused with 480. sip thread.
    std::function<void(DialogId, const InboundInvite&)> on_call{};
    // With these it is a registrar: any address may send, REGISTER goes to on_register, unless the screen has
    // answered it, and all other requests outside of dialogs are refused.
    std::shared_ptr<const Challenges> challenges{};
    OnRegister on_register{};
    size_t max_connections = kMaxAcceptedTcp;  // over TCP and TLS
    // Called with ok when the kernel begins to drop messages from unknown addresses, and with the reason when
    // it cannot or stops. sip thread.
    std::function<void(const Status&)> on_filter_changed{};
  };

  // Returns once it listens. Any thread; may take a second.
  static Result<std::unique_ptr<SipStack>> start(const Options& options);

  // Calls stop() and joins the thread.
  ~SipStack();

  uint16_t port() const noexcept;
  uint16_t tls_port() const noexcept;  // 0: not open

  // Replaces the certificates, for TLS connections from now on. Any thread.
  void set_certificates(std::shared_ptr<const TlsCertificates> certificates);

  // Sends the INVITE and reports events to `listener`, which must live until its on_ended. Any thread; the
  // first event may come before this returns. Returns an error, and reports no event, if the call's fields do
  // not make a valid request.
  Result<DialogId> dial(OutboundCall call, DialogListener& listener);

  // Takes an inbound call: `listener`, which must live until its on_ended, gets its events. A call that is
  // not taken within kMaxOfferedMs is refused with 480. Any thread, as the next three.
  Status take(DialogId id, CallOwner owner, DialogListener& listener);
  // Sends 180, or 183 with our SDP.
  void ring(DialogId id, int status, std::string sdp);
  // Answers with our SDP: the answer to the INVITE's offer, or our offer if it had none, to which on_reanswer
  // brings the answer.
  void answer(DialogId id, std::string sdp);
  // Refuses a call, taken or not; on_ended follows if it was taken.
  void refuse(DialogId id, Refusal refusal);

  // Sends a re-INVITE with our offer inside an answered call; on_reoffer_answered follows, unless the call
  // has ended. One at a time.
  void reoffer(DialogId id, std::string sdp);

  // Asks the far end of an answered call, with REFER, to call `uri`, a SIP URI without headers; with
  // `replaced`, an answered call, in place of that (Replaces, RFC 3891). on_refer follows, unless the call
  // has ended. One at a time.
  void refer(DialogId id, std::string uri, DialogId replaced = 0);

  // Ends a call: refuses or cancels it before the answer, or sends BYE; on_ended follows. Ignores unknown and
  // ended dialogs. `cancel_reason`: the Reason header of a CANCEL; "": none. Any thread, never blocks.
  void hangup(DialogId id, std::string cancel_reason = {});

  // Tells the far end, whose REFER on_far_refer() has brought, the status of the call that we make; one from
  // 200 on is the last. Any thread.
  void report_refer(DialogId id, int status);

  // Ends a dialog that another dialog has replaced: on_ended follows at once, and BYE
  // after `bye_after_ms` unless the peer sends it sooner. Any thread.
  void leave(DialogId id, int64_t bye_after_ms);

  // Sends BYE for a dialog of an earlier run until the peer answers, for kTransactionTimeoutMs at most, then
  // calls DialogLog::dialog_down. `trunk` has the credentials for a challenge. Any thread.
  void hang_up_stored(StoredDialog dialog, TrunkAccess trunk);

  // Answers a REGISTER of on_register. Any thread, as the next two.
  void answer_register(RegisterId id, RegisterReply reply);
  // The hosts whose users may register.
  void set_realms(std::set<std::string> realms);
  // Sends an empty message to each address, so that NAT keeps passing calls to the telephone there (RFC 5626
  // section 3.5.1), and leaves connections with `connected` open however long they are silent.
  void keep_alive(std::vector<lib::SocketAddress> datagrams, std::vector<lib::SocketAddress> connected);

  // Sends a request outside of dialogs, and calls `done` once with its final answer, on the sip thread,
  // unless the stack stops first. Any thread.
  Status request(TrunkRequest request, OnTrunkAnswer done);

  // Replaces Options::allowed_peers. Any thread.
  void set_allowed_peers(std::vector<lib::SocketAddress> peers);

  // Ends all dialogs with CANCEL or BYE (each gets its on_ended) and refuses new ones. Idempotent; any thread
  // but the sip thread. Takes up to 2 s, longer only if sofia-sip does not finish a transaction.
  void stop();

  // Returns whether the kernel drops messages from unknown addresses; see Options::on_filter_changed. Any
  // thread.
  bool is_filtered() const noexcept;

  // For metrics: dialogs that hold a sofia-sip handle, including ended ones that wait for a final answer.
  size_t live_handles() const noexcept;
  StackCounts counts() const noexcept;

 private:
  explicit SipStack(std::unique_ptr<UserAgent> agent);

  std::unique_ptr<UserAgent> agent_;
};

}  // namespace patchbay::sip_trunk
