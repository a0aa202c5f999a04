// The far end of a call's audio, in the clear or with SRTP: sends a tone as PCMU from a thread of its own,
// and records what comes.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "codec/g711.h"
#include "rtp/packet.h"
#include "rtp/socket.h"
#include "rtp/stream_security.h"
#include "support/tone.h"

namespace patchbay::test {

class RtpPeer {
 public:
  using Bytes = std::vector<uint8_t>;
  static constexpr uint32_t kRateHz = 8000;
  static constexpr size_t kFrame = kRateHz / 50;

  explicit RtpPeer(double hz, const std::string& ip = "127.0.0.1")
      : ip_(ip),
        socket_(*lib::RtpSocket::open(*lib::SocketAddress::parse(ip, 0), 0, 0)),
        tone_(support::make_tone(hz, kRateHz, kRateHz)) {}
  RtpPeer(const RtpPeer&) = delete;
  RtpPeer& operator=(const RtpPeer&) = delete;
  ~RtpPeer() { stop(); }

  uint16_t port() const { return socket_.rtp_port(); }
  // Encrypts from now on.
  void secure(std::shared_ptr<lib::PacketProtection> protection) {
    const std::lock_guard lock(mutex_);
    protection_ = std::move(protection);
  }
  // Sends the tone to this port of the server, which has the same address.
  void start(uint16_t server_port) {
    server_ = *lib::SocketAddress::parse(ip_, server_port);
    thread_ = std::thread([this] { run(); });
  }
  // Sets how much faster than ours its clock runs, before start().
  void drift(int ppm) { tick_ = std::chrono::nanoseconds(20'000'000 - 20 * int64_t{ppm}); }
  // Sends a tenth of a second of silence from the next packet on, whose time of sending is then marked_at().
  void mark() {
    marked_at_ = std::chrono::steady_clock::time_point();
    silent_frames_ = 5;
  }
  std::chrono::steady_clock::time_point marked_at() const { return marked_at_; }
  void stop() {
    stop_ = true;
    if (thread_.joinable()) thread_.join();
  }

  // Sends bytes from the peer's own address.
  void send_raw(const Bytes& bytes) {
    const std::lock_guard lock(mutex_);
    (void)socket_.send(lib::RtpSocket::Channel::rtp, server_, bytes.data(), bytes.size());
  }
  // The packets that were sent last, as they were sent.
  std::vector<Bytes> sent() {
    const std::lock_guard lock(mutex_);
    return sent_;
  }
  std::vector<int16_t> heard() {
    const std::lock_guard lock(mutex_);
    return heard_;
  }
  size_t refused() {
    const std::lock_guard lock(mutex_);
    return refused_;
  }
  bool hears(double hz) {
    const std::vector<int16_t> all = heard();
    constexpr ptrdiff_t kSamples = kRateHz / 2;
    return all.size() >= kSamples &&
           support::mean_snr_db({all.end() - kSamples, all.end()}, hz, kRateHz) > 15;
  }

  // A packet of PCMU, with room for the trailer of SRTP behind it.
  Bytes packet(uint32_t ssrc, uint16_t sequence, const int16_t* pcm) const {
    Bytes out(lib::kRtpHeaderBytes + kFrame + lib::PacketProtection::kMaxTrailerBytes);
    lib::RtpPacket header;
    header.sequence = sequence;
    header.timestamp = sequence * static_cast<uint32_t>(kFrame);
    header.ssrc = ssrc;
    lib::write_rtp_header(header, out.data());
    lib::g711_encode(lib::G711::mu_law, pcm, kFrame, out.data() + lib::kRtpHeaderBytes);
    return out;
  }

 private:
  void run() {
    auto next = std::chrono::steady_clock::now();
    for (uint16_t sequence = 1; !stop_; ++sequence) {
      next += tick_;
      std::this_thread::sleep_until(next);
      const std::lock_guard lock(mutex_);
      send_frame(sequence);
      receive();
    }
  }
  void send_frame(uint16_t sequence) {
    static const std::vector<int16_t> silence(kFrame);
    const bool is_silent = silent_frames_ > 0;
    if (is_silent && silent_frames_-- == 5) marked_at_ = std::chrono::steady_clock::now();
    Bytes out = packet(kSsrc, sequence, is_silent ? silence.data() : tone_.data() + sequence % 50 * kFrame);
    size_t size = lib::kRtpHeaderBytes + kFrame;
    if (protection_ && !protection_->protect(lib::PacketProtection::Kind::rtp, out.data(), size)) return;
    out.resize(size);
    (void)socket_.send(lib::RtpSocket::Channel::rtp, server_, out.data(), out.size());
    sent_.push_back(std::move(out));
    if (sent_.size() > 500) sent_.erase(sent_.begin());
  }
  void receive() {
    while (socket_.receive(lib::RtpSocket::Channel::rtp, datagram_)) {
      const bool is_good = !protection_ || protection_->unprotect(lib::PacketProtection::Kind::rtp,
                                                                  datagram_.data.data(), datagram_.size);
      const auto packet = is_good ? lib::parse_rtp(datagram_.data.data(), datagram_.size) : std::nullopt;
      if (!packet || packet->payload_type != 0) {
        ++refused_;
        continue;
      }
      std::vector<int16_t> pcm(packet->payload_bytes);
      lib::g711_decode(lib::G711::mu_law, packet->payload, packet->payload_bytes, pcm.data());
      heard_.insert(heard_.end(), pcm.begin(), pcm.end());
    }
  }

  static constexpr uint32_t kSsrc = 0x1234;

  const std::string ip_;
  lib::RtpSocket socket_;
  const std::vector<int16_t> tone_;
  lib::SocketAddress server_;
  std::thread thread_;
  std::atomic<bool> stop_{false};
  std::chrono::nanoseconds tick_{20'000'000};
  std::atomic<int> silent_frames_{0};
  std::atomic<std::chrono::steady_clock::time_point> marked_at_{std::chrono::steady_clock::time_point()};
  std::mutex mutex_;  // guards what follows
  std::shared_ptr<lib::PacketProtection> protection_;
  std::vector<Bytes> sent_;
  std::vector<int16_t> heard_;
  size_t refused_ = 0;
  lib::Datagram datagram_;
};

}  // namespace patchbay::test
