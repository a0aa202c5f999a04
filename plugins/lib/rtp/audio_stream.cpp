#include "rtp/audio_stream.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "rtp/datagram_kind.h"
#include "rtp/packet.h"
#include "rtp/payload_type.h"

namespace patchbay::lib {
namespace {

// Limit the work per tick that a flood causes on the media thread. Refused packets have a separate budget, so
// that they do not displace the peer's. The kernel's filter has already dropped packets from other hosts.
constexpr int kMaxPacketsPerTick = 32;
constexpr int kMaxRefusedPerTick = 512;
constexpr int kMaxRtcpPerTick = 4;      // a peer sends one every few seconds
constexpr int kMaxPacketsPerCall = 16;  // of receive(), as others wait for the media thread; about 20 us
constexpr auto kRelaxed = std::memory_order_relaxed;

constexpr uint32_t kConcealAtOnceMs = 20;
constexpr uint32_t kMaxConcealMs = 200;  // a longer gap is a pause of the sender

// In units of an RTP clock.
uint32_t units_of(int64_t ns, uint32_t clock_hz) {
  return static_cast<uint32_t>(ns / 1000 * (clock_hz / 1000) / 1000);
}

// PCMU, until an offer and answer say otherwise.
std::unique_ptr<StreamCodecs> first_codecs() {
  auto made = StreamCodecs::make({.codecs = {CommonCodec{}}});
  return made ? *std::move(made) : throw std::bad_alloc();
}

}  // namespace

AudioStream::AudioStream(RtpSocket socket, const Options& options)
    : socket_(std::move(socket)),
      codecs_(first_codecs()),
      player_(options.jitter),
      random_(options.random),
      ssrc_(static_cast<uint32_t>(options.random)),
      rtcp_({ssrc_, options.cname, options.now_ns, options.wall_ns - options.now_ns}),
      sequence_(static_cast<uint16_t>(options.random >> 32 & 0x7FFF)) {
  sent_.rtp_timestamp = static_cast<uint32_t>(options.random >> 24);
}

void AudioStream::configure(StreamMedia& media) noexcept {
  // The same codecs keep their state, for example when the peer holds the call.
  if (media.codecs && media.codecs->options() != codecs_->options()) std::swap(codecs_, media.codecs);
  media_.remote_rtp = media.remote_rtp;
  media_.remote_rtcp = media.remote_rtcp;
  media_.event_send_type = media.event_send_type;
  media_.event_receive_type = media.event_receive_type;
  media_.event_clock_hz = media.event_clock_hz;
  media_.detect_tones = media.detect_tones;
  media_.suppress_silence = media.suppress_silence;
  media_.send = media.send;
  media_.receive = media.receive;
  latch_.set_remote(media.remote_rtp, media.signalling);
  marker_ = true;
  suppressor_.restart();
  SocketAddress hosts[3];
  size_t count = 0;
  for (const SocketAddress& host : {media.remote_rtp, media.remote_rtcp, media.signalling})
    if (host.valid()) hosts[count++] = host;
  socket_.accept_only(hosts, count);
}

void AudioStream::secure(StreamSecurity& security) noexcept {
  const bool continues =
      !security.protection || (security_.protection && security.protection->continues(*security_.protection));
  if (!continues && has_rolled_over_) begin_source();
  std::swap(security_, security);
}

// The roll-over count of a source goes on with a new key (RFC 3711 section 3.3.1), but many peers begin it at
// 0 again. That of a new source is 0 for all of them.
void AudioStream::begin_source() noexcept {
  random_ = random_ * 6364136223846793005U + 1442695040888963407U;  // Knuth's, whose high bits are random
  ssrc_ = static_cast<uint32_t>(random_ >> 32);
  sequence_ = static_cast<uint16_t>(random_ >> 16 & 0x7FFF);
  has_rolled_over_ = false;
  sent_.packets = sent_.octets = 0;
  marker_ = true;
  rtcp_.set_ssrc(ssrc_);
}

bool AudioStream::pull(int16_t* pcm, int64_t now_ns) noexcept {
  begin_tick();
  receive_all(RtpSocket::Channel::rtp, now_ns);
  receive_all(RtpSocket::Channel::rtcp, now_ns);
  return play(pcm);
}

void AudioStream::receive_all(RtpSocket::Channel channel, int64_t now_ns) noexcept {
  while (has_budget(channel) && socket_.receive(channel, received_)) static_cast<void>(take(channel, now_ns));
}

bool AudioStream::play(int16_t* pcm) noexcept {
  const bool received = player_.get(codecs_->decoder, rate_hz(), pcm);
  detect_tones(pcm, frame_samples());
  publish_stats();
  return received;
}

bool AudioStream::receive(RtpSocket::Channel channel, int64_t now_ns) noexcept {
  for (int i = 0; i < kMaxPacketsPerCall && has_budget(channel); ++i)
    if (!socket_.receive(channel, received_) || take(channel, now_ns)) break;
  return has_budget(channel);
}

bool AudioStream::has_budget(RtpSocket::Channel channel) const noexcept {
  return channel == RtpSocket::Channel::rtp
             ? budget_.media < kMaxPacketsPerTick && budget_.refused_rtp < kMaxRefusedPerTick
             : budget_.refused_rtcp < kMaxRefusedPerTick / 4;
}

// Handles the datagram that was received. Returns false if it is refused.
bool AudioStream::take(RtpSocket::Channel channel, int64_t now_ns) noexcept {
  if (channel == RtpSocket::Channel::rtp) {
    const bool accepted = on_datagram(received_, now_ns);
    ++(accepted ? budget_.media : budget_.refused_rtp);
    return accepted;
  }
  const bool accepted = on_rtcp_datagram(received_, now_ns);
  if (!accepted) ++budget_.refused_rtcp;
  return accepted;
}

// Returns false for a packet that is refused.
bool AudioStream::on_datagram(Datagram& datagram, int64_t now_ns) noexcept {
  switch (datagram_kind(datagram.data.data(), datagram.size)) {
    case DatagramKind::rtp:
      return on_rtp_datagram(datagram, now_ns);
    case DatagramKind::rtcp:
      return on_rtcp_datagram(datagram, now_ns);
    case DatagramKind::dtls:
      return on_dtls_datagram(datagram);
    default:
      refuse();
      return false;
  }
}

// Latches onto a sender only after its packet has proved to be authentic, or cannot be checked.
bool AudioStream::on_rtp_datagram(Datagram& datagram, int64_t now_ns) noexcept {
  if (!latch_.would_accept(datagram.sender) || !unprotect(PacketProtection::Kind::rtp, datagram)) {
    refuse();
    return false;
  }
  const auto packet = parse_rtp(datagram.data.data(), datagram.size);
  if (!packet || !latch_.accept_media(datagram.sender)) {
    refuse();
    return false;
  }
  on_media(*packet, now_ns);
  return true;
}

bool AudioStream::on_rtcp_datagram(Datagram& datagram, int64_t now_ns) noexcept {
  if (!latch_.accept_rtcp(datagram.sender) || budget_.rtcp == kMaxRtcpPerTick ||
      !unprotect(PacketProtection::Kind::rtcp, datagram) ||
      !rtcp_.read(datagram.data.data(), datagram.size, reception(), now_ns)) {
    refuse();
    return false;
  }
  ++budget_.rtcp;
  stats_.last_received_ns.store(now_ns, kRelaxed);
  return true;
}

// A handshake may begin before we know the peer's address, which its taker checks then.
bool AudioStream::on_dtls_datagram(const Datagram& datagram) noexcept {
  if (security_.dtls == nullptr || (media_.remote_rtp.valid() && !latch_.would_accept(datagram.sender))) {
    refuse();
    return false;
  }
  security_.dtls->on_dtls(datagram);
  return true;
}

bool AudioStream::unprotect(PacketProtection::Kind kind, Datagram& datagram) noexcept {
  if (security_.protection) return security_.protection->unprotect(kind, datagram.data.data(), datagram.size);
  return !security_.is_required;
}

bool AudioStream::protect(PacketProtection::Kind kind, uint8_t* data, size_t& size) noexcept {
  if (security_.protection) return security_.protection->protect(kind, data, size);
  return !security_.is_required;
}

// Returns whether the packet belongs to the stream that is followed, and starts a new stream if it begins
// one.
bool AudioStream::follow_ssrc(const RtpPacket& packet) noexcept {
  const SsrcSwitch::Verdict verdict = ssrc_switch_.accept(packet.ssrc, packet.sequence);
  if (verdict == SsrcSwitch::Verdict::switched) {
    reception_.start(packet.ssrc, packet.sequence);
    player_.restart();
    sequencer_.restart();
    event_receiver_.reset();
  }
  return verdict != SsrcSwitch::Verdict::refused;
}

void AudioStream::on_media(const RtpPacket& packet, int64_t now_ns) noexcept {
  const bool is_event = packet.payload_type == media_.event_receive_type;
  const bool is_noise = packet.payload_type == kComfortNoisePayloadType;
  const uint32_t clock_hz = codecs_->decoder.clock_hz(packet.payload_type);
  stats_.last_received_ns.store(now_ns, kRelaxed);  // any packet from the peer shows that it is alive
  if (!is_event && !is_noise && clock_hz == 0) return refuse();
  if (!follow_ssrc(packet)) return;
  stats_.packets_received.fetch_add(1, kRelaxed);
  if (clock_hz != 0) clock_hz_ = clock_hz;
  const uint64_t restarts = reception_.restarts();
  const auto verdict = reception_.add(packet.sequence, packet.timestamp, units_of(now_ns, clock_hz_));
  if (reception_.restarts() != restarts) {
    event_receiver_.reset();
    sequencer_.restart();
  }
  if (verdict != ReceptionStats::Verdict::fresh) return;
  if (is_event)
    on_digit(
        event_receiver_.add(packet.timestamp, packet.payload, packet.payload_bytes, media_.event_clock_hz));
  if (assembler_.is_active()) {
    sequencer_.put(packet, now_ns);
  } else if (!is_event && media_.receive) {
    player_.put(packet, codecs_->decoder);
  }
}

// Comfort noise is not for engines, which detect the end of speech by silence.
uint32_t AudioStream::on_packet(const RtpPacket& packet, int64_t arrived_ns) noexcept {
  PacketDecoder& decoder = codecs_->decoder;
  const uint32_t clock_hz = decoder.clock_hz(packet.payload_type);
  if (packet.payload_type == kComfortNoisePayloadType || clock_hz == 0) return 0;
  const uint32_t duration = decoder.duration(packet.payload_type, packet.payload, packet.payload_bytes);
  if (!media_.receive) return duration;
  const size_t length = samples_of(duration, clock_hz);
  if (!assembler_.takes(length)) {
    assembler_.drop(length);
    return duration;
  }
  const size_t samples =
      decoder.decode(packet.payload_type, packet.payload, packet.payload_bytes, decoded_.data());
  detect_tones(decoded_.data(), samples);
  assembler_.append(decoded_.data(), samples, arrived_ns);
  return duration;
}

void AudioStream::on_missing(uint32_t duration, const RtpPacket& next) noexcept {
  if (!media_.receive) return;
  const uint32_t per_ms = clock_hz_ / 1000;
  uint32_t left = std::min(duration, kMaxConcealMs * per_ms);
  while (left > 0) {
    const uint32_t part = std::min(left, kConcealAtOnceMs * per_ms);
    if (!assembler_.takes(samples_of(part, clock_hz_))) return assembler_.drop(samples_of(left, clock_hz_));
    left -= part;
    const bool is_last = left == 0 && codecs_->decoder.clock_hz(next.payload_type) == clock_hz_;
    const size_t samples = codecs_->decoder.conceal(part, is_last ? next.payload : nullptr,
                                                    is_last ? next.payload_bytes : 0, decoded_.data());
    assembler_.append_concealed(decoded_.data(), samples);
  }
}

void AudioStream::begin_frames(FrameAssembler::Sink sink, void* user) noexcept {
  sequencer_.restart();
  assembler_.begin(rate_hz(), sink, user);
}

void AudioStream::end_frames() noexcept {
  assembler_.end();
  sequencer_.restart();
  player_.restart();
}

void AudioStream::tick_frames(int64_t now_ns) noexcept {
  sequencer_.give_up(now_ns);
  assembler_.tick(now_ns);
  publish_stats();
}

void AudioStream::on_digit(std::optional<char> digit) noexcept {
  if (!digit || digits_count_ == digits_.size()) return;
  digits_[(digits_begin_ + digits_count_++) % digits_.size()] = *digit;
}

std::optional<char> AudioStream::next_digit() noexcept {
  if (digits_count_ == 0) return std::nullopt;
  const char digit = digits_[digits_begin_];
  digits_begin_ = (digits_begin_ + 1) % digits_.size();
  --digits_count_;
  return digit;
}

void AudioStream::detect_tones(const int16_t* pcm, size_t samples) noexcept {
  if (!media_.detect_tones) return;
  if (tone_detector_.rate_hz() != rate_hz()) tone_detector_.restart(rate_hz());
  while (samples > 0) {
    const size_t part = std::min(samples, frame_samples());
    on_digit(tone_detector_.add(pcm, part));
    pcm += part;
    samples -= part;
  }
}

bool AudioStream::send_digits(std::string_view digits, uint32_t duration_ms) noexcept {
  return media_.event_send_type >= 0 && digit_queue_.add(digits, duration_ms);
}

void AudioStream::push(const int16_t* pcm, int64_t now_ns) noexcept {
  // Audio that fills no packet is dropped before an event, whose timestamp is that of its end.
  PacketEncoder& encoder = codecs_->encoder;
  const uint32_t begin = sent_.rtp_timestamp + encoder.collected();
  const auto* event =
      media_.send && media_.event_send_type >= 0 ? digit_queue_.next(begin, media_.event_clock_hz) : nullptr;
  if (event != nullptr)
    send_packet(static_cast<uint8_t>(media_.event_send_type), event->first, event->timestamp,
                event->bytes.data(), event->bytes.size());
  const bool is_audio = media_.send && event == nullptr;
  if (!is_audio) suppressor_.restart();
  if (is_audio && !suppress(pcm)) {
    send_audio(pcm);
  } else {
    sent_.rtp_timestamp =
        begin + encoder.clock_hz() / 1000 * JitterBuffer::kFrameMs;  // time continues without audio
    encoder.discard();
    marker_ = true;
  }
  if (rtcp_.is_due(now_ns)) send_rtcp(now_ns, false);
}

// Returns whether the frame is silence that is not sent. The noise begins where the latest packet ended: what
// the encoder has collected since is silence, too.
bool AudioStream::suppress(const int16_t* pcm) noexcept {
  if (!media_.suppress_silence) return false;
  const auto send = suppressor_.next(pcm, frame_samples(), JitterBuffer::kFrameMs);
  if (send == SilenceSuppressor::Send::noise) {
    uint8_t payload[NoiseDescription::kMaxOrder + 1];
    const size_t bytes = write_comfort_noise(suppressor_.noise(), payload, sizeof(payload));
    send_packet(kComfortNoisePayloadType, false, sent_.rtp_timestamp, payload, bytes);
  }
  return send != SilenceSuppressor::Send::frame;
}

void AudioStream::send_audio(const int16_t* pcm) noexcept {
  PacketEncoder& encoder = codecs_->encoder;
  uint8_t payload[kMaxPayloadBytes];
  encoder.add(pcm, static_cast<uint32_t>(frame_samples()));
  while (const size_t bytes = encoder.next(payload, sizeof(payload))) {
    send_packet(encoder.payload_type(), marker_, sent_.rtp_timestamp, payload, bytes);
    sent_.rtp_timestamp += encoder.duration();
    marker_ = false;
  }
}

void AudioStream::send_packet(uint8_t payload_type, bool marker, uint32_t timestamp, const uint8_t* payload,
                              size_t bytes) noexcept {
  if (security_.is_required && !security_.protection) return;
  uint8_t out[kRtpHeaderBytes + kMaxPayloadBytes + PacketProtection::kMaxTrailerBytes];
  RtpPacket header;
  header.payload_type = payload_type;
  header.marker = marker;
  header.sequence = sequence_++;
  has_rolled_over_ = has_rolled_over_ || sequence_ == 0;
  header.timestamp = timestamp;
  header.ssrc = ssrc_;
  write_rtp_header(header, out);
  std::memcpy(out + kRtpHeaderBytes, payload, bytes);
  size_t size = kRtpHeaderBytes + bytes;
  if (!protect(PacketProtection::Kind::rtp, out, size) ||
      !socket_.send(RtpSocket::Channel::rtp, latch_.destination(), out, size))
    return;
  ++sent_.packets;
  sent_.octets += static_cast<uint32_t>(bytes);
  stats_.packets_sent.fetch_add(1, kRelaxed);
}

void AudioStream::send_bye(int64_t now_ns) noexcept { send_rtcp(now_ns, true); }

void AudioStream::send_rtcp(int64_t now_ns, bool bye) noexcept {
  uint8_t out[512];
  size_t size =
      rtcp_.write(sent_, reception(), bye, now_ns, out, sizeof(out) - PacketProtection::kMaxTrailerBytes);
  if (size == 0 || !protect(PacketProtection::Kind::rtcp, out, size)) return;
  if (security_.rtcp_mux) {
    (void)socket_.send(RtpSocket::Channel::rtp, latch_.destination(), out, size);
    return;
  }
  // May be wrong for a peer behind NAT, whose RTP comes from another port than its SDP names: its RTCP port
  // is unknown.
  (void)socket_.send(RtpSocket::Channel::rtcp, media_.remote_rtcp, out, size);
}

void AudioStream::publish_stats() noexcept {
  stats_.lost.store(ssrc_switch_.has_ssrc() ? reception_.lost() : 0, kRelaxed);
  stats_.jitter_us.store(static_cast<uint32_t>(uint64_t{reception_.jitter()} * 1000 / (clock_hz_ / 1000)),
                         kRelaxed);
  stats_.duplicates.store(reception_.duplicates(), kRelaxed);
  stats_.packets_late.store(player_.buffer().stats().late_packets + sequencer_.stats().late_packets,
                            kRelaxed);
  stats_.delay_ms.store(assembler_.is_active() ? 0 : player_.buffer().delay_ms(), kRelaxed);
  const uint32_t kept_ms = assembler_.is_active()
                               ? static_cast<uint32_t>(sequencer_.stats().max_wait_ns / 1'000'000)
                               : player_.buffer().delay_ms();
  if (ssrc_switch_.has_ssrc() && kept_ms > stats_.max_delay_ms.load(kRelaxed))
    stats_.max_delay_ms.store(kept_ms, kRelaxed);
  const RtcpSession::PeerReport& report = rtcp_.peer_report();
  stats_.round_trip_us.store(report.round_trip_us, kRelaxed);
  stats_.remote_fraction_lost.store(report.fraction_lost, kRelaxed);
  stats_.remote_reported.store(report.received, kRelaxed);
}

}  // namespace patchbay::lib
