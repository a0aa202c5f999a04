#include "legs/media_setup.h"

#include <string>
#include <utility>

#include "random64.h"

namespace patchbay::sip_trunk {
namespace {

// In a=crypto lines, in order of preference. What each SRTP stack has is among them; each line takes 90 bytes
// of the INVITE, which should fit into a datagram.
constexpr lib::SrtpProfile kOfferedProfiles[] = {lib::SrtpProfile::aead_aes128_gcm,
                                                 lib::SrtpProfile::aes128_cm_sha1_80};

}  // namespace

MediaSetup::MediaSetup(const ServerSettings& server, LegPort& port, MediaWatch& watch)
    : port_(port),
      watch_(watch),
      advertise_(server.advertise),
      media_ip_(server.media_ip),
      secure_media_(server.secure_media) {
  local_.session_id = random64() >> 1;
}

Status MediaSetup::use_security(const TrunkAccess& trunk, int64_t now_ns) {
  const std::lock_guard lock(mutex_);
  lib::LocalSecurity& security = local_.security;
  security = {};
  security.policy = trunk.srtp;
  security.keying = trunk.srtp_keying;
  agreed_ = {};
  protection_.reset();
  if (trunk.srtp == lib::SrtpPolicy::off) return {};
  PB_TRY_VALUE(certificate_, secure_media_->certificate(now_ns));
  security.fingerprint = certificate_->fingerprint();
  uint32_t tag = 0;
  for (const lib::SrtpProfile profile : kOfferedProfiles) {
    PB_TRY_VALUE(const lib::MasterKey key, lib::MasterKey::random(profile));
    security.offered_keys.push_back({++tag, key});
  }
  return {};
}

void MediaSetup::on_dtls(lib::DtlsSink& sink, Function<void(const DtlsAgreement&)> f) {
  const std::lock_guard lock(mutex_);
  dtls_sink_ = &sink;
  start_dtls_ = std::move(f);
}

std::string MediaSetup::offer(const lib::SocketAddress& trunk, const TrunkMedia& allowed) {
  const std::lock_guard lock(mutex_);
  begin(trunk, allowed);
  // The peer may begin the handshake before its answer arrives.
  const lib::LocalSecurity& security = local_.security;
  if (has_port_ && security.policy != lib::SrtpPolicy::off && security.keying == lib::SrtpKeying::dtls)
    port_.secure({security.policy == lib::SrtpPolicy::required, nullptr, dtls_sink_, false});
  return lib::write_offer(local_);
}

Result<std::string> MediaSetup::answer_invite(const lib::SocketAddress& trunk, const TrunkMedia& allowed,
                                              std::string_view sdp) {
  {
    const std::lock_guard lock(mutex_);
    begin(trunk, allowed);
    signalling_ip_ = trunk.ip_text();
  }
  return answer(sdp);
}

// Caller holds mutex_.
void MediaSetup::begin(const lib::SocketAddress& trunk, const TrunkMedia& allowed) {
  first_answer_.reset();
  local_.rtp = announced_address(trunk);
  local_.codecs = allowed.codecs;
  local_.events = allowed.events;
  local_.comfort_noise = allowed.comfort_noise;
  suppress_silence_ = allowed.suppress_silence;
}

// Returns the media address for our SDP, which the trunk's packets must reach.
lib::SocketAddress MediaSetup::announced_address(const lib::SocketAddress& trunk) const {
  if (const auto shown = lib::SocketAddress::parse(advertise_, port_.local_port())) return *shown;
  const auto bound = lib::SocketAddress::parse(media_ip_, port_.local_port());
  if (!bound->is_unspecified()) return *bound;
  const auto local = lib::local_address_towards(trunk);
  return local ? local->with_port(port_.local_port()) : *bound;
}

void MediaSetup::keep_first_answer(std::string_view sdp, std::string_view from_ip) {
  const std::lock_guard lock(mutex_);
  first_answer_ = FirstAnswer{std::string(sdp), std::string(from_ip), {}};
}

Status MediaSetup::apply_first_answer(std::string_view sdp, std::string_view from_ip) {
  const std::lock_guard lock(mutex_);
  const auto kept = std::exchange(first_answer_, std::nullopt);
  // Another one may have been kept since, of a trunk that was given up.
  if (kept && kept->applied && kept->applied->ok() && kept->sdp == sdp) return *kept->applied;
  return apply_from(sdp, from_ip);
}

// Caller holds mutex_.
Status MediaSetup::apply_from(std::string_view sdp, std::string_view ip) {
  signalling_ip_ = ip;
  PB_TRY_VALUE(const lib::RemoteMedia remote, lib::parse_answer(local_, sdp, agreed_));
  return apply(remote);
}

Status MediaSetup::apply_answer(std::string_view sdp) {
  const std::lock_guard lock(mutex_);
  PB_TRY_VALUE(const lib::RemoteMedia remote, lib::parse_answer(local_, sdp, agreed_));
  return apply(remote);
}

Result<std::string> MediaSetup::answer(std::string_view sdp) {
  const std::lock_guard lock(mutex_);
  if (first_answer_ && !first_answer_->applied)
    first_answer_->applied = apply_from(first_answer_->sdp, first_answer_->from_ip);
  ++local_.version;
  if (sdp.empty()) return lib::write_offer(local_);
  PB_TRY_VALUE(const lib::RemoteOffer offer, lib::parse_offer(local_, sdp, agreed_));
  local_.types = offer.types;
  PB_TRY(apply(offer.media));
  return lib::write_answer(local_, offer);
}

void MediaSetup::follow(const MediaSetup& other) {
  bool held = false;
  {
    const std::lock_guard lock(other.mutex_);
    held = other.is_held_;
  }
  const std::lock_guard lock(mutex_);
  local_.held = held;
  has_port_ = false;
}

void MediaSetup::use_port(bool is_used) {
  const std::lock_guard lock(mutex_);
  has_port_ = is_used;
}

std::string MediaSetup::reoffer(bool held) {
  const std::lock_guard lock(mutex_);
  ++local_.version;
  local_.held = held;
  return lib::write_offer(local_);
}

Status MediaSetup::reoffer_answered(int status, std::string_view sdp) {
  const std::lock_guard lock(mutex_);
  Status applied = {Code::denied, status == 0
                                      ? "the far end did not answer the re-INVITE"
                                      : "the far end refused the re-INVITE: SIP " + std::to_string(status)};
  if (status == 200) {
    const auto remote = lib::parse_answer(local_, sdp, agreed_);
    applied = remote ? apply(*remote) : Status(remote.error());
  }
  if (!applied) local_.held = is_held_;
  return applied;
}

// The port has the rate of the first codec; a later one is converted to it.
Result<std::unique_ptr<lib::StreamCodecs>> MediaSetup::make_codecs(const lib::RemoteMedia& remote) {
  const uint32_t rate_hz = port_.choose_rate(lib::format_of(remote.codecs.front().codec).rate_hz);
  return lib::StreamCodecs::make({remote.codecs, remote.ptime_ms, rate_hz});
}

// Caller holds mutex_.
Status MediaSetup::apply(const lib::RemoteMedia& remote) {
  if (!has_port_) return {Code::conflict, "another dialog has the call"};
  const auto peer = lib::SocketAddress::parse(signalling_ip_, 0);
  const auto is_allowed = [&](const lib::SocketAddress& target) {
    const lib::AddressKind kind = target.kind();
    return kind == lib::AddressKind::host || (peer && kind == peer->kind());
  };
  // The SDP is untrusted: it must not direct our packets at this machine or at a multicast group. A peer that
  // only sends gets RTCP and DTLS, too.
  if (!remote.rtp.is_unspecified() && !is_allowed(remote.rtp))
    return {Code::denied, "its address " + remote.rtp.ip_text() + " is not a possible address of the trunk"};
  PB_TRY(apply_security(remote, peer ? *peer : lib::SocketAddress()));
  is_held_ = local_.held;
  watch_.set_held(is_held_ || !remote.send || !remote.receive);
  lib::StreamMedia media;
  media.remote_rtp = remote.rtp;
  if (is_allowed(remote.rtcp)) media.remote_rtcp = remote.rtcp;
  if (peer) media.signalling = *peer;
  PB_TRY_VALUE(media.codecs, make_codecs(remote));
  media.event_send_type = remote.events.send_type;
  media.event_receive_type = remote.events.receive_type;
  media.event_clock_hz = remote.events.clock_hz;
  media.detect_tones = remote.events.send_type < 0;
  media.suppress_silence = suppress_silence_ && remote.comfort_noise;
  media.send = remote.send;
  media.receive = remote.receive;
  port_.configure(std::move(media));
  return {};
}

// Caller holds mutex_.
Status MediaSetup::apply_security(const lib::RemoteMedia& remote, const lib::SocketAddress& signalling) {
  const lib::AgreedSecurity& agreed = remote.security;
  const std::shared_ptr<SrtpProtection> before = protection_;
  if (agreed.is_sdes) {
    PB_TRY_VALUE(protection_,
                 secure_media_->protection(agreed.sent->key, agreed.received->key, protection_.get()));
  } else if (!agreed.is_dtls || !agreed_.is_dtls) {
    protection_.reset();  // those of DTLS stay until the next handshake
  }
  agreed_ = agreed;
  lib::keep_agreed(local_.security, agreed);
  if (before && !(protection_ && protection_->continues(*before)))
    lib::replace_used_key(local_.security, before->sent_key());
  rtcp_mux_ = remote.rtcp_mux;
  port_.secure({agreed.is_secure(), protection_, agreed.is_dtls ? dtls_sink_ : nullptr, rtcp_mux_});
  // A peer that holds the call by 0.0.0.0 can be reached again, by the same keys, once it resumes.
  if (agreed.is_dtls && !remote.rtp.is_unspecified())
    start_dtls_({certificate_, agreed, remote.rtp, signalling});
  return {};
}

std::pair<std::string, std::string> MediaSetup::encryption() const {
  const std::lock_guard lock(mutex_);
  if (!protection_) return {};
  return {agreed_.is_dtls ? "dtls" : "sdes", std::string(lib::info_of(protection_->profile()).name)};
}

Status MediaSetup::set_dtls_keys(const lib::DtlsSrtpKeys& keys) {
  const std::lock_guard lock(mutex_);
  if (!agreed_.is_dtls || !has_port_) return {};  // a later offer and answer has replaced it
  PB_TRY_VALUE(protection_, secure_media_->protection(keys.sent, keys.received, protection_.get()));
  port_.secure({true, protection_, dtls_sink_, rtcp_mux_});
  return {};
}

}  // namespace patchbay::sip_trunk
