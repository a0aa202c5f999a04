#include "rtp/audio_stream.h"

#include <cstring>

#include "rtp/packet.h"

namespace patchbay::lib {
namespace {

constexpr uint8_t kPcmu = 0;
constexpr uint8_t kPcma = 8;
constexpr uint8_t kComfortNoise = 13;  // RFC 3389: the peer is silent but alive
// Limit the work per tick that a flood causes on the media thread. Refused packets have a separate budget, so
// that they do not displace the peer's. The kernel's filter has already dropped packets from other hosts.
constexpr int kMaxPacketsPerTick = 32;
constexpr int kMaxRefusedPerTick = 512;
constexpr int kMaxControlPerTick = 4;  // a peer sends one every few seconds
constexpr int64_t kControlIntervalNs = 5'000'000'000;
constexpr uint64_t kNtpEpochOffsetS = 2'208'988'800;
constexpr auto kRelaxed = std::memory_order_relaxed;

uint32_t samples_of(int64_t ns) { return static_cast<uint32_t>(ns / 125'000); }  // 8 kHz

}  // namespace

// Handles the peer's RTCP: its clock, and its reports about our stream.
class AudioStream::ControlReader final : public RtcpListener {
 public:
  ControlReader(AudioStream& leg, int64_t now_ns) : leg_(leg), now_ns_(now_ns) {}

  void on_sender_report(uint32_t ssrc, const SenderInfo& info) noexcept override {
    if (leg_.has_source_ && ssrc == leg_.reception_.ssrc()) leg_.reception_.sender_report(info.ntp, now_ns_);
  }

  void on_report_block(uint32_t, const ReportBlock& block) noexcept override {
    if (block.ssrc != leg_.ssrc_) return;
    leg_.stats_.far_fraction_lost.store(block.fraction_lost, kRelaxed);
    leg_.stats_.far_reported.store(true, kRelaxed);
    if (block.last_sr == 0) return;
    const auto now = static_cast<uint32_t>(leg_.ntp(now_ns_) >> 16);
    const uint32_t round_trip = now - block.last_sr - block.delay_since_last_sr;
    if (round_trip < 10 * 65536)  // ignores bogus values and wrapped clocks
      leg_.stats_.round_trip_us.store(static_cast<uint32_t>(uint64_t{round_trip} * 1'000'000 >> 16),
                                      kRelaxed);
  }

  void on_bye(uint32_t) noexcept override {}  // only SIP ends a call

 private:
  AudioStream& leg_;
  int64_t now_ns_;
};

AudioStream::AudioStream(RtpSocket socket, const Options& options)
    : socket_(std::move(socket)),
      jitter_buffer_(options.jitter),
      cname_(options.cname),
      wall_offset_ns_(options.wall_ns - options.now_ns),
      ssrc_(static_cast<uint32_t>(options.random)),
      sequence_(static_cast<uint16_t>(options.random >> 32 & 0x7FFF)),
      timestamp_(static_cast<uint32_t>(options.random >> 24)),
      next_control_ns_(options.now_ns + kControlIntervalNs / 2) {}

void AudioStream::configure(const StreamMedia& media) noexcept {
  media_ = media;
  policy_.set_remote(media.remote_rtp, media.signalling);
  marker_ = true;
  SocketAddress hosts[3];
  size_t count = 0;
  for (const SocketAddress& host : {media.remote_rtp, media.remote_rtcp, media.signalling})
    if (host.valid()) hosts[count++] = host;
  socket_.accept_only(hosts, count);
}

bool AudioStream::pull(int16_t* pcm, int64_t now_ns) noexcept {
  control_taken_ = 0;
  drain_media(now_ns);
  drain_control(now_ns);
  const bool received = jitter_buffer_.get(pcm);
  publish_stats();
  return received;
}

void AudioStream::drain_media(int64_t now_ns) noexcept {
  int taken = 0;
  int refused = 0;
  while (taken < kMaxPacketsPerTick && refused < kMaxRefusedPerTick) {
    const size_t count = socket_.receive(RtpSocket::Channel::rtp, received_.data(), received_.size());
    for (size_t i = 0; i < count; ++i) ++(on_datagram(received_[i], now_ns) ? taken : refused);
    if (count < received_.size()) return;
  }
}

// Returns false for a packet that is refused.
bool AudioStream::on_datagram(const Datagram& datagram, int64_t now_ns) noexcept {
  if (is_rtcp(datagram.data.data(), datagram.size)) return on_control_datagram(datagram, now_ns);
  const auto packet = parse_rtp(datagram.data.data(), datagram.size);
  if (!packet || !policy_.accept_media(datagram.source)) {
    refuse();
    return false;
  }
  on_media(*packet, now_ns);
  return true;
}

bool AudioStream::on_control_datagram(const Datagram& datagram, int64_t now_ns) noexcept {
  ControlReader reader(*this, now_ns);
  if (!policy_.accept_control(datagram.source) || control_taken_ == kMaxControlPerTick ||
      !parse_rtcp(datagram.data.data(), datagram.size, reader)) {
    refuse();
    return false;
  }
  ++control_taken_;
  stats_.last_received_ns.store(now_ns, kRelaxed);
  return true;
}

void AudioStream::drain_control(int64_t now_ns) noexcept {
  int refused = 0;
  while (refused < kMaxRefusedPerTick / 4) {
    const size_t count = socket_.receive(RtpSocket::Channel::rtcp, received_.data(), received_.size());
    for (size_t i = 0; i < count; ++i)
      if (!on_control_datagram(received_[i], now_ns)) ++refused;
    if (count < received_.size()) return;
  }
}

// Follows a stream from its first packet. Another SSRC replaces it only after two packets in sequence,
// because a single packet may be spoofed.
bool AudioStream::accept_ssrc(const RtpPacket& packet) noexcept {
  if (has_source_ && packet.ssrc == reception_.ssrc()) {
    has_candidate_ = false;
    return true;
  }
  if (has_source_) {
    const bool confirmed = has_candidate_ && packet.ssrc == candidate_ssrc_ &&
                           packet.sequence == static_cast<uint16_t>(candidate_sequence_ + 1);
    candidate_ssrc_ = packet.ssrc;
    candidate_sequence_ = packet.sequence;
    has_candidate_ = !confirmed;
    if (!confirmed) return false;
  }
  reception_.start(packet.ssrc, packet.sequence);
  jitter_buffer_.restart();
  event_receiver_.reset();
  has_source_ = true;
  return true;
}

void AudioStream::on_media(const RtpPacket& packet, int64_t now_ns) noexcept {
  const bool is_event = packet.payload_type == media_.event_payload_type;
  const bool is_audio = packet.payload_type == kPcmu || packet.payload_type == kPcma;
  stats_.last_received_ns.store(now_ns, kRelaxed);  // any packet from the peer shows that it is alive
  if (packet.payload_type == kComfortNoise) return;
  if (!is_event && (!is_audio || packet.payload_bytes > decoded_.size())) return refuse();
  if (!accept_ssrc(packet)) return;
  stats_.packets_received.fetch_add(1, kRelaxed);
  const uint64_t restarts = reception_.restarts();
  const auto verdict = reception_.add(packet.sequence, packet.timestamp, samples_of(now_ns));
  if (reception_.restarts() != restarts) event_receiver_.reset();
  if (verdict != Reception::Verdict::fresh) return;
  if (is_event) {
    on_digit(event_receiver_.add(packet.timestamp, packet.payload, packet.payload_bytes));
  } else if (media_.receive) {
    const G711 law = packet.payload_type == kPcmu ? G711::mu_law : G711::a_law;
    g711_decode(law, packet.payload, packet.payload_bytes, decoded_.data());
    jitter_buffer_.put(packet.timestamp, decoded_.data(), packet.payload_bytes);
  }
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

bool AudioStream::send_digit(char digit, uint32_t duration_ms) noexcept {
  return media_.event_payload_type >= 0 && event_sender_.start(digit, timestamp_, duration_ms);
}

void AudioStream::push(const int16_t* pcm, int64_t now_ns) noexcept {
  if (!media_.send) {
    timestamp_ += kFrameSamples;  // RTP time continues while the peer holds the call
    marker_ = true;
  } else if (event_sender_.active()) {
    uint8_t payload[TelephoneEventSender::kPayloadBytes];
    const bool first = event_sender_.next(payload);
    send_packet(static_cast<uint8_t>(media_.event_payload_type), first, event_sender_.timestamp(), payload,
                sizeof(payload));
    timestamp_ += kFrameSamples;
    marker_ = true;
  } else {
    uint8_t payload[kFrameSamples];
    g711_encode(media_.law, pcm, kFrameSamples, payload);
    send_packet(media_.law == G711::mu_law ? kPcmu : kPcma, marker_, timestamp_, payload, sizeof(payload));
    timestamp_ += kFrameSamples;
    marker_ = false;
  }
  if (now_ns >= next_control_ns_) send_control(now_ns, false);
}

void AudioStream::send_packet(uint8_t payload_type, bool marker, uint32_t timestamp, const uint8_t* payload,
                              size_t bytes) noexcept {
  uint8_t out[kRtpHeaderBytes + kFrameSamples];
  RtpPacket header;
  header.payload_type = payload_type;
  header.marker = marker;
  header.sequence = sequence_++;
  header.timestamp = timestamp;
  header.ssrc = ssrc_;
  write_rtp_header(header, out);
  std::memcpy(out + kRtpHeaderBytes, payload, bytes);
  const auto& to = policy_.destination();
  if (!socket_.send(RtpSocket::Channel::rtp, to, out, kRtpHeaderBytes + bytes)) return;
  ++packets_sent_;
  octets_sent_ += static_cast<uint32_t>(bytes);
  stats_.packets_sent.fetch_add(1, kRelaxed);
}

void AudioStream::send_bye(int64_t now_ns) noexcept { send_control(now_ns, true); }

void AudioStream::send_control(int64_t now_ns, bool bye) noexcept {
  // Between half and one and a half intervals, so that reports do not synchronise (RFC 3550 section 6.2).
  next_control_ns_ =
      now_ns + kControlIntervalNs / 2 + (now_ns / 1000 + ssrc_) % (kControlIntervalNs / 1000) * 1000;
  SenderInfo sender;
  sender.ntp = ntp(now_ns);
  sender.rtp_timestamp = timestamp_;
  sender.packets = packets_sent_;
  sender.octets = octets_sent_;
  ReportBlock block;
  if (has_source_) block = reception_.report(now_ns);
  RtcpReport report;
  report.ssrc = ssrc_;
  report.sender = packets_sent_ > 0 ? &sender : nullptr;
  report.block = has_source_ ? &block : nullptr;
  report.cname = cname_;
  report.bye = bye;
  uint8_t out[512];
  const size_t size = write_rtcp(report, out, sizeof(out));
  // May be wrong for a peer behind NAT, whose RTP comes from another port than its SDP names: its RTCP port
  // is unknown.
  if (size > 0) (void)socket_.send(RtpSocket::Channel::rtcp, media_.remote_rtcp, out, size);
}

void AudioStream::publish_stats() noexcept {
  stats_.lost.store(has_source_ ? reception_.lost() : 0, kRelaxed);
  stats_.jitter_us.store(reception_.jitter() * 125, kRelaxed);
  stats_.duplicates.store(reception_.duplicates(), kRelaxed);
  stats_.packets_late.store(jitter_buffer_.stats().late_packets, kRelaxed);
  stats_.delay_ms.store(jitter_buffer_.delay_ms(), kRelaxed);
}

uint64_t AudioStream::ntp(int64_t now_ns) const noexcept {
  const auto wall = static_cast<uint64_t>(now_ns + wall_offset_ns_);
  const uint64_t seconds = wall / 1'000'000'000 + kNtpEpochOffsetS;
  const uint64_t fraction = (wall % 1'000'000'000 << 32) / 1'000'000'000;
  return seconds << 32 | fraction;
}

}  // namespace patchbay::lib
