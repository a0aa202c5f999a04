#include "legs/leg_media.h"

#include <patchbay/strand.h>

#include <utility>

#include "random64.h"

namespace patchbay::sip_trunk {

LegMedia::LegMedia(const Host& host, const ServerSettings& server, Function<void(char)> on_digit,
                   Function<void(const std::string& why)> on_silent)
    : host_(host),
      server_(server),
      on_digit_(std::move(on_digit)),
      watch_(host, server.no_media_timeout_ms,
             [this](const std::string& why) { on_failed_(why + silence_detail()); }),
      on_failed_(std::move(on_silent)) {}

Status LegMedia::open() {
  PB_TRY_VALUE(const lib::SocketAddress ip, lib::SocketAddress::parse(server_.media_ip, 0));
  PB_TRY_VALUE(lib::RtpSocket socket, lib::RtpSocket::open(ip, server_.rtp_port_min, server_.rtp_port_max));
  lib::AudioStream::Options options;
  options.jitter = server_.jitter;
  options.random = random64();
  options.wall_ns = host_.wall_ms() * 1'000'000;
  options.now_ns = host_.mono_ns();
  options.cname = "patchbay";
  port_ = std::make_unique<LegPort>(host_, std::move(socket), options,
                                    [this](char digit) { add_digit(DigitMerger::Source::media, digit); });
  setup_ = std::make_shared<MediaSetup>(server_, *port_, watch_);
  family_ = ip.family();
  return {};
}

void LegMedia::add_digit(DigitMerger::Source source, char digit) {
  if (digit_merger_.accept(source, digit, host_.mono_ns() / 1'000'000)) on_digit_(digit);
}

Status LegMedia::send_digits(std::string_view digits) {
  if (!lib::DigitQueue::is_valid(digits))
    return {Code::invalid, "digits are 0 to 9, *, #, A to D, and ',' for a pause, such as 12#"};
  if (!port_ || !port_->can_send_digits())
    return {Code::unsupported, "the other side does not support telephone-event"};
  if (!port_->send_digits(digits)) return {Code::exhausted, "too many digits wait to be sent"};
  return {};
}

Status LegMedia::use_security(const TrunkAccess& trunk, const Log& log) {
  log_ = log;
  if (trunk.srtp != lib::SrtpPolicy::off && !dtls_) {
    prepare_dtls();
    connect_dtls(*setup_);
  }
  return setup_->use_security(trunk, host_.mono_ns());
}

Result<std::shared_ptr<MediaSetup>> LegMedia::next_negotiation(const TrunkAccess& trunk) {
  auto next = std::make_shared<MediaSetup>(server_, *port_, watch_);
  next->follow(*setup_);
  if (trunk.srtp != lib::SrtpPolicy::off) {
    if (!dtls_) prepare_dtls();
    connect_dtls(*next);
  }
  PB_TRY(next->use_security(trunk, host_.mono_ns()));
  return next;
}

std::shared_ptr<MediaSetup> LegMedia::use(std::shared_ptr<MediaSetup> next) {
  setup_->use_port(false);
  next->use_port(true);
  return std::exchange(setup_, std::move(next));
}

// The negotiation runs on any thread, sessions on the main strand.
void LegMedia::prepare_dtls() {
  DtlsLeg::Callbacks callbacks;
  callbacks.send = [this](const lib::SocketAddress& to, const std::vector<uint8_t>& datagram) {
    static_cast<void>(port_->send_dtls(to, datagram));
  };
  callbacks.on_keys = [this](const lib::DtlsSrtpKeys& keys) {
    const Status secured = setup_->set_dtls_keys(keys);
    if (!secured) return on_failed_(secured.error().text);
    log_encryption();
  };
  callbacks.on_failed = [this](const std::string& why) {
    // With the keys before, the call goes on. If the peer has forgotten them, it ends for want of audio.
    if (setup_->encryption().first.empty()) return on_failed_(why);
    if (log_) log_->warn("a new DTLS handshake in the call failed, which keeps its keys", {{"why", why}});
  };
  dtls_ = std::make_unique<DtlsLeg>(host_, std::move(callbacks));
  dtls_inbox_ =
      std::make_unique<DtlsInbox>(host_, [this](const lib::Datagram& datagram) { dtls_->receive(datagram); });
}

void LegMedia::connect_dtls(MediaSetup& setup) {
  setup.on_dtls(*dtls_inbox_, [this](const DtlsAgreement& made) {
    const bool is_client = made.agreed.setup == lib::DtlsSetup::active;
    DtlsLeg::Session session{made.certificate, is_client ? lib::DtlsRole::client : lib::DtlsRole::server,
                             made.agreed.fingerprints, made.remote, made.signalling};
    post(host_, kMainStrand,
         alive_.bind([this, session = std::move(session)]() mutable { dtls_->start(std::move(session)); }));
  });
}

Handle LegMedia::open_port() {
  log_encryption();
  return port_->open(host_);
}

void LegMedia::add_statistics(telephony::Ended& ended, const Log& log) const {
  if (!port_) return;
  const lib::StreamStats& stats = port_->stats();
  ended.rtp_received = static_cast<int64_t>(stats.packets_received.load());
  ended.rtp_lost = stats.lost.load();
  ended.rtp_late = static_cast<int64_t>(stats.packets_late.load());
  ended.rtp_refused = static_cast<int64_t>(stats.packets_refused.load());
  ended.rtp_dropped = static_cast<int64_t>(port_->packets_dropped());
  ended.rtp_jitter_us = stats.jitter_us.load();
  ended.rtp_delay_ms = stats.max_delay_ms.load();
  ended.rtp_round_trip_us = stats.round_trip_us.load();
  ended.rtp_far_lost_percent =
      stats.remote_reported.load() ? stats.remote_fraction_lost.load() * 100 / 256 : -1;
  log.info("audio of the call", {{"received", ended.rtp_received},
                                 {"lost", ended.rtp_lost},
                                 {"late", ended.rtp_late},
                                 {"refused", ended.rtp_refused},
                                 {"dropped", ended.rtp_dropped},
                                 {"jitter-us", ended.rtp_jitter_us},
                                 {"delay-ms", ended.rtp_delay_ms},
                                 {"round-trip-us", ended.rtp_round_trip_us},
                                 {"far-lost-percent", ended.rtp_far_lost_percent}});
}

// What came instead of audio, for an operator: it comes from elsewhere, with other keys, or not at all.
std::string LegMedia::silence_detail() const {
  const uint64_t refused = port_->stats().packets_refused.load();
  const uint64_t dropped = port_->packets_dropped();
  std::string detail;
  if (refused > 0)
    detail += ", and " + std::to_string(refused) + " packets were refused (address, keys or form)";
  if (dropped > 0)
    detail += ", and " + std::to_string(dropped) + " packets came from other hosts than the SDP names";
  return detail;
}

void LegMedia::log_encryption() const {
  const auto [keys, profile] = setup_->encryption();
  if (!keys.empty() && log_) log_->info("the audio is encrypted", {{"keys", keys}, {"profile", profile}});
}

void LegMedia::close(Function<void()> done) {
  // A port that was never opened needs no close.
  if (port_ && port_->handle()) return port_->close(std::move(done));
  post(host_, kMainStrand, std::move(done));
}

}  // namespace patchbay::sip_trunk
