// The SIP user agent: one listen address (UDP and TCP on one port), one thread, any number of outbound
// dialogs. The only header of this folder that the plugin needs; sofia-sip stays behind it.
#pragma once

#include <patchbay/result.h>

#include <cstdint>
#include <memory>
#include <string>

#include "sip_types.h"

namespace patchbay::sip_trunk {

class Agent;

class SipStack {
 public:
  struct Options {
    std::string listen_ip = "127.0.0.1";
    uint16_t listen_port = 0;  // 0: the kernel chooses
    std::string user_agent = "Patchbay";
    // From a request to its first answer of any kind, 100 included. It is timer B and F of RFC 3261 (32 s
    // there).
    uint32_t silence_timeout_ms = 5000;
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

  // Ends all dialogs (each gets its on_ended), says good-bye to the peers, and refuses what comes after.
  // Idempotent; any thread but the sip thread. Takes up to 2 s, longer only when sofia-sip itself hangs on to
  // a request.
  void stop();

  // For metrics: dialogs that still hold a handle of sofia-sip, ended ones that wait for a last answer
  // included.
  size_t live_handles() const noexcept;

 private:
  explicit SipStack(std::unique_ptr<Agent> agent);

  std::unique_ptr<Agent> agent_;
};

// Sofia-sip's own log, one line for each call, from any thread; process-wide. Without a sink it goes nowhere.
using SofiaLogSink = void (*)(void* context, const char* line);
void set_sofia_log(SofiaLogSink sink, void* context) noexcept;

}  // namespace patchbay::sip_trunk
