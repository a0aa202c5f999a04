#include "media_setup.h"

#include "random64.h"

namespace patchbay::sip_trunk {

MediaSetup::MediaSetup(const ServerSettings& server, LegPort& port, MediaWatch& watch)
    : port_(port), watch_(watch), advertise_(server.advertise), media_ip_(server.media_ip) {
  local_.session_id = random64() >> 1;
}

std::string MediaSetup::offer(const lib::SocketAddress& trunk) {
  const std::lock_guard lock(mutex_);
  local_.rtp = announced_address(trunk);
  return lib::write_offer(local_);
}

Result<std::string> MediaSetup::answer_invite(const lib::SocketAddress& trunk, std::string_view sdp) {
  {
    const std::lock_guard lock(mutex_);
    local_.rtp = announced_address(trunk);
    signalling_ip_ = trunk.ip_text();
  }
  return answer(sdp);
}

// Returns the media address for our SDP, which the trunk's packets must reach.
lib::SocketAddress MediaSetup::announced_address(const lib::SocketAddress& trunk) const {
  if (const auto shown = lib::SocketAddress::parse(advertise_, port_.local_port())) return *shown;
  const auto bound = lib::SocketAddress::parse(media_ip_, port_.local_port());
  if (!bound->is_unspecified()) return *bound;
  const auto local = lib::local_address_towards(trunk);
  return local ? local->with_port(port_.local_port()) : *bound;
}

void MediaSetup::set_signalling_ip(const std::string& ip) {
  const std::lock_guard lock(mutex_);
  signalling_ip_ = ip;
}

Status MediaSetup::apply_answer(std::string_view sdp) {
  const std::lock_guard lock(mutex_);
  PB_TRY_VALUE(const lib::RemoteMedia remote, lib::parse_answer(local_, sdp));
  return apply(remote);
}

Result<std::string> MediaSetup::answer(std::string_view sdp) {
  const std::lock_guard lock(mutex_);
  ++local_.version;
  if (sdp.empty()) return lib::write_offer(local_);
  PB_TRY_VALUE(const lib::RemoteOffer offer, lib::parse_offer(local_, sdp));
  local_.types = offer.types;
  PB_TRY(apply(offer.media));
  return lib::write_answer(local_, offer);
}

// Caller holds mutex_.
Status MediaSetup::apply(const lib::RemoteMedia& remote) {
  const auto peer = lib::SocketAddress::parse(signalling_ip_, 0);
  const auto is_allowed = [&](const lib::SocketAddress& target) {
    const lib::AddressKind kind = target.kind();
    return kind == lib::AddressKind::host || (peer && kind == peer->kind());
  };
  // The SDP is untrusted: it must not direct our packets at this machine or at a multicast group.
  if (remote.send && !is_allowed(remote.rtp))
    return {Code::denied, "its address " + remote.rtp.ip_text() + " is not a possible address of the trunk"};
  watch_.set_held(!remote.send || !remote.receive);
  lib::StreamMedia media;
  media.remote_rtp = remote.rtp;
  if (is_allowed(remote.rtcp)) media.remote_rtcp = remote.rtcp;
  if (peer) media.signalling = *peer;
  media.law = remote.codecs.front().codec == lib::Codec::pcma ? lib::G711::a_law : lib::G711::mu_law;
  media.event_payload_type = remote.events.send_type;
  media.send = remote.send;
  media.receive = remote.receive;
  port_.configure(media);
  return {};
}

}  // namespace patchbay::sip_trunk
