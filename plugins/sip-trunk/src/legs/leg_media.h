// LegMedia: the audio of one call: its RTP sockets and audio port, the negotiation, the watch for silence and
// the statistics. Main strand, but for negotiation().
#pragma once

#include <patchbay/lifetime.h>
#include <patchbay/log.h>
#include <patchbay/services/telephony.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "calls/live_calls.h"
#include "legs/digit_merger.h"
#include "legs/leg_port.h"
#include "legs/media_setup.h"
#include "legs/media_watch.h"
#include "read_settings.h"
#include "secure/dtls_inbox.h"
#include "secure/dtls_leg.h"

namespace patchbay::sip_trunk {

class LegMedia {
 public:
  // Calls on_digit() for each DTMF digit of the peer, once although it comes in several ways, and
  // on_silent(why) once no media comes any more, or DTLS fails. `host` and `server` outlive this.
  LegMedia(const Host& host, const ServerSettings& server, Function<void(char)> on_digit,
           Function<void(const std::string& why)> on_silent);

  // Once open: sets how the next offer or answer is encrypted. Error: no keys can be made.
  Status use_security(const TrunkAccess& trunk, const Log& log);

  // Opens the sockets. Error: no port is free.
  Status open();
  bool is_open() const noexcept { return port_ != nullptr; }
  // The address family of the sockets.
  int family() const noexcept { return family_; }
  // [any thread] Once open.
  MediaSetup& negotiation() { return *setup_; }
  const std::shared_ptr<MediaSetup>& shared_negotiation() const noexcept { return setup_; }
  // Makes another negotiation, for a dialog that is to take the call over. Error: no keys can be made.
  Result<std::shared_ptr<MediaSetup>> next_negotiation(const TrunkAccess& trunk);
  // From here on that one has the port. Returns the one before, for which it is the other way round.
  std::shared_ptr<MediaSetup> use(std::shared_ptr<MediaSetup> next);
  // Opens the audio port; 0: the host refuses it.
  Handle open_port();
  // Once the audio port is open: other plugins may have access to it.
  void show_audio(LiveCall& call) const { call.set_audio(port_->taps(), port_->pull_rate_hz()); }
  // A digit that the dialog had in an INFO.
  void add_info_digit(char digit) { add_digit(DigitMerger::Source::info, digit); }
  // Sends DTMF digits; ',' is a pause of 2 s. Error: the peer does not support telephone-event, a character
  // is no digit, or too many wait.
  Status send_digits(std::string_view digits);
  void watch_silence() { watch_.start(port_->stats().last_received_ns); }
  void stop_watch() { watch_.stop(); }
  // Adds the statistics, and writes them to the log.
  void add_statistics(telephony::Ended& ended, const Log& log) const;
  // Calls done() on the main strand when nothing uses this object any more.
  void close(Function<void()> done);

 private:
  void prepare_dtls();
  void connect_dtls(MediaSetup& setup);
  void add_digit(DigitMerger::Source source, char digit);
  void log_encryption() const;
  std::string silence_detail() const;

  // borrowed
  const Host& host_;
  const ServerSettings& server_;
  // owned
  Function<void(char)> on_digit_;
  DigitMerger digit_merger_;
  MediaWatch watch_;
  Function<void(const std::string& why)> on_failed_;
  std::unique_ptr<LegPort> port_;
  std::shared_ptr<MediaSetup> setup_;      // shared with the listener of the dialog
  std::unique_ptr<DtlsInbox> dtls_inbox_;  // with dtls_: unless the trunk's calls are never encrypted
  std::unique_ptr<DtlsLeg> dtls_;
  // state
  int family_ = 0;
  std::optional<Log> log_;  // set with the security
  Lifetime alive_;
};

}  // namespace patchbay::sip_trunk
