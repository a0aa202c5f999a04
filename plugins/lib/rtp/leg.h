// The media side of one G.711 call: socket, jitter buffer, codec, RTCP. pull() and push() are called on one
// media thread, once for each 20 ms tick; nothing there allocates, locks or logs. configure(), send_digit()
// and next_digit() belong to that thread too. stats() may be read from any thread.
#pragma once

#include <patchbay/result.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <string>

#include "g711/g711.h"
#include "rtp/jitter_buffer.h"
#include "rtp/reception.h"
#include "rtp/rtcp.h"
#include "rtp/socket.h"
#include "rtp/source_policy.h"
#include "rtp/telephone_event.h"

namespace patchbay::lib {

// What offer and answer agreed on. Payload types are as the peer's SDP maps them.
struct LegMedia {
  SocketAddress remote_rtp;
  SocketAddress remote_rtcp;
  SocketAddress signalling;     // may send instead of remote_rtp's host; invalid: nobody may
  G711 law = G711::mu_law;      // what we send; both laws are understood
  int event_payload_type = -1;  // telephone-event, -1 for none
  bool send = true;             // false while the peer holds the call
  bool receive = true;
};

// Every member counts since the leg was made; relaxed atomics.
struct LegStats {
  std::atomic<uint64_t> packets_received{0};
  std::atomic<uint64_t> packets_sent{0};
  std::atomic<uint64_t> packets_refused{0};  // wrong source, malformed, unknown payload type, a flood of RTCP
  std::atomic<uint64_t> packets_late{0};
  std::atomic<uint64_t> duplicates{0};
  std::atomic<int64_t> lost{0};
  std::atomic<uint32_t> jitter_us{0};
  std::atomic<uint32_t> delay_ms{0};          // of the jitter buffer
  std::atomic<int64_t> last_received_ns{0};   // any sign of life from the peer, RTCP too; 0: nothing yet
  std::atomic<uint32_t> round_trip_us{0};     // by RTCP; 0: unknown
  std::atomic<uint8_t> far_fraction_lost{0};  // of what we send, as the peer reports, in 1/256
  std::atomic<bool> far_reported{false};      // whether it ever did
};

struct RtpPacket;

class RtpLeg {
 public:
  static constexpr size_t kFrameSamples = JitterBuffer::kFrameSamples;
  struct Options {
    uint32_t min_delay_ms = 40;
    uint32_t max_delay_ms = 100;
    uint64_t random = 0;  // SSRC, first sequence number and timestamp come from it: give it real randomness
    int64_t wall_ns = 0;  // the time of day that belongs to...
    int64_t now_ns = 0;   // ...this monotonic time, for the NTP times of sender reports
    std::string cname;    // says nothing about the host
  };

  RtpLeg(RtpSocket socket, const Options& options);

  uint16_t local_port() const noexcept { return socket_.rtp_port(); }

  // Any thread. See RtpSocket::dropped.
  uint64_t packets_dropped() const noexcept { return socket_.dropped(); }

  // Before the first packet, and again after every offer and answer.
  void configure(const LegMedia& media) noexcept;

  // Takes in what has arrived and writes one frame; true when some of it is the peer's voice rather than
  // filling. Times are monotonic.
  bool pull(int16_t* pcm, int64_t now_ns) noexcept;
  // Sends one frame (or a part of a digit), and RTCP when it is due.
  void push(const int16_t* pcm, int64_t now_ns) noexcept;

  // Digits the peer has dialled, oldest first; at most 16 are kept.
  std::optional<char> next_digit() noexcept;
  // False while another digit is going out, when the peer takes none, or for what is no digit.
  bool send_digit(char digit, uint32_t duration_ms) noexcept;

  // Tells the peer by RTCP that the stream ends.
  void send_bye(int64_t now_ns) noexcept;

  const LegStats& stats() const noexcept { return stats_; }

 private:
  class ControlReader;

  void drain_media(int64_t now_ns) noexcept;
  void drain_control(int64_t now_ns) noexcept;
  void on_media(const RtpPacket& packet, int64_t now_ns) noexcept;
  bool take_source(const RtpPacket& packet) noexcept;
  bool on_datagram(const Datagram& datagram, int64_t now_ns) noexcept;
  bool on_control_datagram(const Datagram& datagram, int64_t now_ns) noexcept;
  void refuse() noexcept { stats_.packets_refused.fetch_add(1, std::memory_order_relaxed); }
  void on_digit(std::optional<char> digit) noexcept;
  void send_packet(uint8_t payload_type, bool marker, uint32_t timestamp, const uint8_t* payload,
                   size_t bytes) noexcept;
  void send_control(int64_t now_ns, bool bye) noexcept;
  void publish_stats() noexcept;
  uint64_t ntp(int64_t now_ns) const noexcept;

  RtpSocket socket_;
  JitterBuffer jitter_buffer_;
  Reception reception_;
  SourcePolicy policy_;
  TelephoneEventReceiver event_receiver_;
  TelephoneEventSender event_sender_;
  LegMedia media_;
  const std::string cname_;
  const int64_t wall_offset_ns_;

  bool has_source_ = false;
  uint32_t candidate_ssrc_ = 0;  // seen once, not yet trusted
  uint16_t candidate_sequence_ = 0;
  bool has_candidate_ = false;
  uint32_t ssrc_;
  uint16_t sequence_;
  uint32_t timestamp_;
  bool marker_ = true;
  uint32_t packets_sent_ = 0;
  uint32_t octets_sent_ = 0;
  int64_t next_control_ns_ = 0;
  int control_taken_ = 0;  // RTCP packets in this tick
  std::array<char, 16> digits_{};
  size_t digits_begin_ = 0;
  size_t digits_count_ = 0;
  std::array<Datagram, RtpSocket::kMaxReceived> received_{};
  std::array<int16_t, 1024> decoded_{};
  LegStats stats_;
};

}  // namespace patchbay::lib
