// LegPort: the audio port of one call, which sends and receives RTP on one socket pair. While it is joined,
// its sockets are read on the media loop of the join as soon as a packet arrives. A listener that needs no
// playout clock (an AI engine) gets each frame then, others one per tick from the jitter buffer.
#pragma once

#include <patchbay/audio.h>
#include <patchbay/media_loop.h>

#include <array>
#include <atomic>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "calls/tap_list.h"
#include "rtp/audio_stream.h"
#include "secure/loop_handover.h"

namespace patchbay::sip_trunk {

// configure(), stats() and packets_dropped(): any thread; the rest as in AudioPort.
class LegPort final : public AudioPort {
 public:
  // Calls on_digit() on the main strand for each DTMF digit from the far end.
  LegPort(const Host& host, lib::RtpSocket socket, const lib::AudioStream::Options& options,
          Function<void(char)> on_digit);

  uint16_t local_port() const noexcept { return stream_.local_port(); }
  // Takes effect at the next tick. The codecs must have the rate of the port.
  void configure(lib::StreamMedia media);
  // The rate of the port: `wanted`, or that with which the port was opened, because it does not change. Any
  // thread.
  uint32_t choose_rate(uint32_t wanted) noexcept;
  // Sends DTMF digits after those that wait already, valid ones (DigitQueue). False: too many wait. Main
  // strand.
  bool send_digits(std::string_view digits) noexcept;
  // Whether the peer supports telephone-event. Any thread.
  bool can_send_digits() const noexcept { return can_send_digits_; }
  // Sets the encryption, before the configure() of the same offer and answer. Any thread.
  void secure(lib::StreamSecurity security) { security_.put(std::move(security)); }
  // Sends a datagram of DTLS. Any thread.
  bool send_dtls(const lib::SocketAddress& to, const std::vector<uint8_t>& datagram) noexcept {
    return stream_.send_dtls(to, datagram.data(), datagram.size());
  }
  // The taps of its audio, shared with accesses of other plugins, which may end later.
  const std::shared_ptr<TapList>& taps() const noexcept { return taps_; }
  const lib::StreamStats& stats() const noexcept { return stream_.stats(); }
  uint64_t packets_dropped() const noexcept { return stream_.packets_dropped(); }

  // As in AudioPort, with the watches of the sockets and the timer of missing packets.
  Handle open(const Host& host);
  template <class F>
  void close(F done) {
    AudioPort::close([this, done = std::move(done)]() mutable {
      rtp_.watch.close([this, done = std::move(done)]() mutable {
        rtcp_.watch.close(
            [this, done = std::move(done)]() mutable { missing_timer_.close(std::move(done)); });
      });
    });
  }

  uint32_t pull_rate_hz() const noexcept override { return rate_hz_; }
  uint32_t push_rate_hz() const noexcept override { return rate_hz_; }
  uint32_t push_flags() const noexcept override { return PB_PORT_EARLY; }
  void pull(pb_frame& out) noexcept override;
  void push(const pb_frame& in) noexcept override;
  void attached(uint32_t loop) noexcept override;
  void detached() noexcept override;
  bool stream_to(const FrameSink& sink) noexcept override;

 private:
  using Channel = lib::RtpSocket::Channel;
  // One of the two sockets. [media]
  struct WatchedSocket {
    explicit WatchedSocket(const Host& host) : watch(host) {}
    LoopWatch watch;
    // Whether packets are received when they arrive; otherwise at the next tick.
    bool is_watched = false;
    bool is_paused = false;  // until the next tick, because this one has received all that it may cost
  };
  void watch(WatchedSocket& socket) noexcept;
  void receive(WatchedSocket& socket, Channel channel, int64_t now_ns) noexcept;
  void receive_at_tick(WatchedSocket& socket, Channel channel, int64_t now_ns) noexcept;
  void pass_frame(const lib::FrameAssembler::Frame& frame) noexcept;
  void set_missing_timer() noexcept;
  void on_missing_due(const pb_tick& tick) noexcept;
  void on_rtp(const pb_ready& ready) noexcept { receive(rtp_, Channel::rtp, ready.time_ns); }
  void on_rtcp(const pb_ready& ready) noexcept { receive(rtcp_, Channel::rtcp, ready.time_ns); }
  void take_settings() noexcept;
  void play(pb_frame& out) noexcept;
  bool add_said(pb_frame& frame, const int16_t* pcm, bool is_far) noexcept;
  void post_digits() noexcept;
  void take_digits_to_send() noexcept;
  static void deliver_digits(void* self) noexcept;

  // borrowed
  const Host& host_;
  // owned
  lib::AudioStream stream_;
  WatchedSocket rtp_{host_};
  WatchedSocket rtcp_{host_};
  LoopTimer missing_timer_{host_};
  Function<void(char)> on_digit_;
  const std::shared_ptr<TapList> taps_ = std::make_shared<TapList>();
  LoopHandover<lib::StreamMedia> media_;
  LoopHandover<lib::StreamSecurity> security_;
  std::array<std::atomic<char>, 64> digits_{};  // ring buffer: the media loop writes, the strand reads
  std::atomic<uint32_t> digits_written_{0};
  uint32_t digits_read_ = 0;
  std::array<std::atomic<char>, 64> digits_to_send_{};  // likewise: the strand writes, the media loop reads
  std::atomic<uint32_t> to_send_written_{0};
  std::atomic<uint32_t> to_send_read_{0};
  std::atomic<bool> can_send_digits_{false};
  // state of the media loop
  FrameSink sink_;
  std::array<int16_t, 960> tapped_{};  // a frame that taps add to
  int64_t missing_due_ns_ = 0;         // of the timer
  int64_t last_tick_ = 0;
  int64_t last_ns_ = 0;
  std::atomic<uint32_t> rate_hz_{8000};
  std::atomic<bool> is_open_{false};
};

}  // namespace patchbay::sip_trunk
