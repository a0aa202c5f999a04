// The SIP user agent: one listen address (UDP, and TCP on the same port), one thread, any number of outbound
// dialogs. Datagrams and connections from addresses that are neither a source nor a trunk of a call are
// dropped. The only header of this folder that the plugin needs; sofia-sip stays behind it.
#pragma once

#include <patchbay/result.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sip_types.h"

namespace patchbay::sip_trunk {

class UserAgent;

class SipStack {
 public:
  struct Options {
    std::string listen_ip = "127.0.0.1";
    uint16_t listen_port = 0;  // 0: the kernel chooses
    // The address that Via and Contact show. Empty: listen_ip, or, when that is 0.0.0.0 or ::, the address
    // the routing table gives for each trunk.
    std::string advertise{};
    bool tcp = true;  // whether to listen on TCP too; without it no call can use a TCP trunk
    // Who may send to us besides the trunks of calls that are going on.
    std::vector<lib::SocketAddress> sources{};
    std::string user_agent = "Patchbay";
    // From a request to its first answer of any kind, 100 included.
    uint32_t silence_timeout_ms = 5000;
    // Timers B, F and H of RFC 3261; shorter only in tests.
    uint32_t transaction_timeout_ms = 32'000;
    uint32_t tcp_keepalive_ms = 25'000;  // between two CRLF pings (RFC 5626 section 3.5.1)
    DialogLog* log = nullptr;            // outlives the stack
    // Called when the kernel begins to drop what comes from unknown addresses (ok), and when it cannot, or no
    // longer (why). sip thread.
    std::function<void(const Status&)> on_guarded{};
  };

  // Listening when it returns. Any thread; may take a second.
  static Result<std::unique_ptr<SipStack>> start(const Options& options);

  // stop(), then the thread is gone.
  ~SipStack();

  uint16_t port() const noexcept;

  // Sends the INVITE. What happens comes to `listener`, which lives until its on_ended. Any thread; the first
  // event may come before this returns. An error (and no event) when the call's fields cannot make a request.
  Result<DialogId> dial(OutboundCall call, DialogListener& listener);

  // CANCEL or BYE, whatever is due; on_ended follows. Unknown and ended dialogs are ignored. Any thread,
  // never blocks.
  void hangup(DialogId id);

  // Says BYE for a dialog of an earlier run until the peer answers or 32 s have passed; then the log's
  // dialog_down. `trunk` has the credentials for a challenge. Any thread.
  void end_stored(StoredDialog dialog, TrunkAccess trunk);

  // Replaces Options::sources. Any thread.
  void set_sources(std::vector<lib::SocketAddress> sources);

  // Ends all dialogs (each gets its on_ended), says good-bye to the peers, and refuses what comes after.
  // Idempotent; any thread but the sip thread. Takes up to 2 s, longer only when sofia-sip itself hangs on to
  // a request.
  void stop();

  // Whether the kernel drops what comes from unknown addresses; see Options::on_guarded. Any thread.
  bool is_guarded() const noexcept;

  // For metrics: dialogs that still hold a handle of sofia-sip, ended ones that wait for a last answer
  // included.
  size_t live_handles() const noexcept;
  StackCounts counts() const noexcept;

 private:
  explicit SipStack(std::unique_ptr<UserAgent> agent);

  std::unique_ptr<UserAgent> agent_;
};

// Sofia-sip's own log, one line for each call, from any thread; process-wide. Without a sink it goes nowhere.
using SofiaLogSink = void (*)(void* context, const char* line);
void set_sofia_log(SofiaLogSink sink, void* context) noexcept;

}  // namespace patchbay::sip_trunk
