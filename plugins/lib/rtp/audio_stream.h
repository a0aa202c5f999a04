// The media side of one call: socket, jitter buffer, codecs, RTCP. The media thread calls pull() and
// push() once per 20 ms tick, or receive() for each packet and begin_tick(), play() and push() once per tick;
// none of these allocates, locks or logs. configure(), send_digits(), next_digit() and send_bye() run on that
// thread too. Any thread may read stats().
//
// A listener without a playout clock (an AI engine) gets the audio by begin_frames() instead of play(): each
// frame as soon as it has arrived in sequence, without the delay of the jitter buffer.
#pragma once

#include <patchbay/result.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "rtp/audio_player.h"
#include "rtp/digit_queue.h"
#include "rtp/frame_assembler.h"
#include "rtp/packet_sequencer.h"
#include "rtp/reception_stats.h"
#include "rtp/rtcp_session.h"
#include "rtp/silence_suppressor.h"
#include "rtp/socket.h"
#include "rtp/ssrc_switch.h"
#include "rtp/stream_codecs.h"
#include "rtp/stream_security.h"
#include "rtp/symmetric_rtp.h"
#include "rtp/telephone_event.h"
#include "rtp/tone_detector.h"

namespace patchbay::lib {

// The result of an SDP offer/answer exchange.
struct StreamMedia {
  SocketAddress remote_rtp;
  SocketAddress remote_rtcp;
  SocketAddress signalling;              // host that may send instead of remote_rtp's; invalid: none
  std::unique_ptr<StreamCodecs> codecs;  // null: as before; PCMU at first
  int event_send_type = -1;              // of telephone-event (RFC 4733); -1: none
  int event_receive_type = -1;
  uint32_t event_clock_hz = 8000;
  bool detect_tones = false;      // DTMF in the audio, of peers without telephone-event
  bool suppress_silence = false;  // send CN instead of silence (RFC 3389), to which the peer has agreed
  bool send = true;               // false while the peer holds the call
  bool receive = true;
};

// Statistics since the stream was created; relaxed atomics.
struct StreamStats {
  std::atomic<uint64_t> packets_received{0};
  std::atomic<uint64_t> packets_sent{0};
  std::atomic<uint64_t> packets_refused{0};  // wrong address, malformed, unknown payload type, too much RTCP
  std::atomic<uint64_t> packets_late{0};
  std::atomic<uint64_t> duplicates{0};
  std::atomic<int64_t> lost{0};
  std::atomic<uint32_t> jitter_us{0};
  std::atomic<uint32_t> delay_ms{0};             // of the jitter buffer
  std::atomic<uint32_t> max_delay_ms{0};         // the longest that audio was kept, also for missing packets
  std::atomic<int64_t> last_received_ns{0};      // latest RTP or RTCP packet of the peer; 0: none yet
  std::atomic<uint32_t> round_trip_us{0};        // from RTCP; 0: unknown
  std::atomic<uint8_t> remote_fraction_lost{0};  // loss of our packets that the peer reports, in 1/256
  std::atomic<bool> remote_reported{false};      // whether the peer has sent such a report
};

class AudioStream final : private PacketSequencer::Listener {
 public:
  struct Options {
    JitterBuffer::Options jitter;
    uint64_t random = 0;  // seeds SSRC, sequence and timestamp; must be random (RFC 3550 section 5.1)
    int64_t wall_ns = 0;  // time of day at now_ns, for the NTP timestamps of sender reports
    int64_t now_ns = 0;   // monotonic
    std::string cname;    // must not identify the host
  };

  AudioStream(RtpSocket socket, const Options& options);

  uint16_t local_port() const noexcept { return socket_.rtp_port(); }
  // Its descriptors, for a caller that waits until one is readable.
  int descriptor(RtpSocket::Channel channel) const noexcept { return socket_.descriptor(channel); }

  // See RtpSocket::dropped(). Any thread.
  uint64_t packets_dropped() const noexcept { return socket_.dropped(); }

  // Of the audio that play() and frames have and push() gets, and how much that is in a frame of 20 ms.
  uint32_t rate_hz() const noexcept { return codecs_->rate_hz(); }
  size_t frame_samples() const noexcept { return rate_hz() / 1000 * JitterBuffer::kFrameMs; }

  // Call it before the first packet, and again after every SDP offer or answer. Leaves in `media` what the
  // caller has to free: the codecs that were used before, or those of `media` if they are the same.
  void configure(StreamMedia& media) noexcept;
  // Sets the encryption, before the configure() of the same offer and answer; in the clear by default. Leaves
  // in `security` what was used before, which the caller has to free. With a new key, what is sent gets
  // another SSRC if its sequence number has rolled over.
  void secure(StreamSecurity& security) noexcept;
  // Sends a datagram of DTLS. Any thread.
  bool send_dtls(const SocketAddress& to, const uint8_t* data, size_t size) noexcept {
    return socket_.send(RtpSocket::Channel::rtp, to, data, size);
  }

  // begin_tick(), receive_all() of both channels, and play(). Times are monotonic.
  bool pull(int16_t* pcm, int64_t now_ns) noexcept;

  // Receives one waiting packet of the peer; skips some that are refused. False: the packets that one tick
  // may cost have been received, so do not call it again before begin_tick().
  bool receive(RtpSocket::Channel channel, int64_t now_ns) noexcept;
  // Receives the waiting packets, as many as one tick may cost.
  void receive_all(RtpSocket::Channel channel, int64_t now_ns) noexcept;
  // Starts the budget of packets of the next tick.
  void begin_tick() noexcept { budget_ = {}; }
  // Writes one frame. Returns whether some of it was received rather than concealed.
  bool play(int16_t* pcm) noexcept;

  // From now on passes what is received to sink(user, frame) instead of the jitter buffer. Then call
  // tick_frames() instead of play().
  void begin_frames(FrameAssembler::Sink sink, void* user) noexcept;
  void end_frames() noexcept;
  // When missing packets are given up, monotonic; 0: none is waited for. Call give_up_missing() then.
  int64_t missing_due_ns() const noexcept { return sequencer_.due_ns(); }
  void give_up_missing(int64_t now_ns) noexcept { sequencer_.give_up(now_ns); }
  void tick_frames(int64_t now_ns) noexcept;

  // Sends one frame, or a part of a DTMF digit or a description of its silence instead, and RTCP when it is
  // due. Packets of more than 20 ms leave with the frame that completes them.
  void push(const int16_t* pcm, int64_t now_ns) noexcept;

  // Returns the next DTMF digit from the peer, oldest first; keeps at most 16.
  std::optional<char> next_digit() noexcept;
  // Sends DTMF digits after those that wait already; ',' is a pause (DigitQueue). Returns false when the peer
  // does not support telephone-event, when one of them is invalid, or when more than DigitQueue::kCapacity
  // would wait.
  bool send_digits(std::string_view digits, uint32_t duration_ms = DigitQueue::kDigitMs) noexcept;

  // Sends RTCP BYE (RFC 3550 section 6.6).
  void send_bye(int64_t now_ns) noexcept;

  const StreamStats& stats() const noexcept { return stats_; }
  const FrameAssembler::Stats& frame_stats() const noexcept { return assembler_.stats(); }

 private:
  // What the tick has received so far, by channel of the socket for refused packets.
  struct Budget {
    int media = 0;
    int rtcp = 0;
    int refused_rtp = 0;
    int refused_rtcp = 0;
  };
  bool has_budget(RtpSocket::Channel channel) const noexcept;
  bool take(RtpSocket::Channel channel, int64_t now_ns) noexcept;
  void on_media(const RtpPacket& packet, int64_t now_ns) noexcept;
  uint32_t on_packet(const RtpPacket& packet, int64_t arrived_ns) noexcept override;
  void on_missing(uint32_t duration, const RtpPacket& next) noexcept override;
  // The length of so many units of an RTP clock at the rate of the stream.
  size_t samples_of(uint32_t units, uint32_t clock_hz) const noexcept {
    return size_t{units} / (clock_hz / 1000) * (rate_hz() / 1000);
  }
  bool follow_ssrc(const RtpPacket& packet) noexcept;
  bool on_datagram(Datagram& datagram, int64_t now_ns) noexcept;
  bool on_rtp_datagram(Datagram& datagram, int64_t now_ns) noexcept;
  bool on_rtcp_datagram(Datagram& datagram, int64_t now_ns) noexcept;
  bool on_dtls_datagram(const Datagram& datagram) noexcept;
  bool unprotect(PacketProtection::Kind kind, Datagram& datagram) noexcept;
  bool protect(PacketProtection::Kind kind, uint8_t* data, size_t& size) noexcept;
  void refuse() noexcept { stats_.packets_refused.fetch_add(1, std::memory_order_relaxed); }
  void on_digit(std::optional<char> digit) noexcept;
  void send_audio(const int16_t* pcm) noexcept;
  bool suppress(const int16_t* pcm) noexcept;
  void detect_tones(const int16_t* pcm, size_t samples) noexcept;
  void send_packet(uint8_t payload_type, bool marker, uint32_t timestamp, const uint8_t* payload,
                   size_t bytes) noexcept;
  void send_rtcp(int64_t now_ns, bool bye) noexcept;
  void begin_source() noexcept;
  void publish_stats() noexcept;
  // Null before the first packet.
  ReceptionStats* reception() noexcept { return ssrc_switch_.has_ssrc() ? &reception_ : nullptr; }

  RtpSocket socket_;
  std::unique_ptr<StreamCodecs> codecs_;
  AudioPlayer player_;
  PacketSequencer sequencer_{*this};
  FrameAssembler assembler_;
  SymmetricRtp latch_;
  SsrcSwitch ssrc_switch_;
  ReceptionStats reception_;
  TelephoneEventReceiver event_receiver_;
  ToneDetector tone_detector_;
  DigitQueue digit_queue_;
  StreamMedia media_;
  StreamSecurity security_;

  uint64_t random_;  // of the next source
  uint32_t ssrc_;    // of what we send
  RtcpSession rtcp_;
  SentMedia sent_;  // its rtp_timestamp is that of the next packet
  uint16_t sequence_;
  bool has_rolled_over_ = false;  // the sequence number, with this SSRC
  bool marker_ = true;
  SilenceSuppressor suppressor_;
  uint32_t clock_hz_ = 8000;  // of what the peer sends
  Budget budget_;
  std::array<char, 16> digits_{};
  size_t digits_begin_ = 0;
  size_t digits_count_ = 0;
  Datagram received_;  // the one being handled
  std::array<int16_t, PacketDecoder::kMaxSamples> decoded_{};
  StreamStats stats_;
};

}  // namespace patchbay::lib
