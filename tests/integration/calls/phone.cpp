#include "phone.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "rtp/audio_stream.h"
#include "support/probe_requests.h"

namespace patchbay::test {
namespace {

constexpr int kTickMs = 20;
constexpr int kLoud = 1000;
constexpr int kToneHz = 440;
constexpr int kKeyMs = 100;
constexpr std::chrono::milliseconds kSilence{400};

int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

lib::SocketAddress loopback(uint16_t port) { return *lib::SocketAddress::parse("127.0.0.1", port); }

// Where the caller wants its audio, by the INVITE in SIPp's log; 0: it has not come yet.
uint16_t offered_port(const Sipp& sipp) {
  const std::string messages = sipp.messages();
  const size_t at = messages.find("m=audio ");
  return at == std::string::npos ? uint16_t{0} : static_cast<uint16_t>(std::atoi(messages.c_str() + at + 8));
}

}  // namespace

struct Phone::Ear {
  Ear(lib::RtpSocket socket, const lib::AudioStream::Options& options) : leg(std::move(socket), options) {}
  lib::AudioStream leg;
  uint16_t caller = 0;
};

Phone::Phone() {
  auto socket = lib::RtpSocket::open(loopback(0), 0, 0);
  REQUIRE(socket);
  lib::AudioStream::Options options;
  options.jitter = {40, 100};
  options.random = 0x1234567;
  options.now_ns = now_ns();
  options.cname = "phone";
  ear_ = std::make_unique<Ear>(*std::move(socket), options);
  sipp_ = std::make_unique<Sipp>(start_sipp("phone", {{"rtp_port", std::to_string(ear_->leg.local_port())}}));
  thread_ = std::thread([this] { run(*ear_); });
}

Phone::~Phone() {
  stop_ = true;
  thread_.join();
}

void Phone::press(const std::string& keys) {
  REQUIRE(keys_ == nullptr);
  pressed_ = keys;
  keys_ = pressed_.c_str();
}

void Phone::suffer_junk(int packets) {
  auto stranger = lib::RtpSocket::open(loopback(0), 0, 0);
  REQUIRE(stranger);
  const std::array<uint8_t, 172> junk{0x80};
  for (int i = 0; i < packets; ++i) {
    (void)stranger->send(lib::RtpSocket::Channel::rtp, loopback(server_port_), junk.data(), junk.size());
    if (i % 10 == 9)
      std::this_thread::sleep_for(std::chrono::milliseconds(kTickMs));  // the server reads so often
  }
}

bool Phone::hears(int64_t ms) const {
  return probe::eventually([&] { return heard_ms() >= ms; });
}

bool Phone::hears_to_the_end(int64_t at_least_ms) const {
  if (!hears(at_least_ms)) return false;
  int64_t heard = -1;
  auto since = std::chrono::steady_clock::now();
  return probe::eventually([&] {
    const auto now = std::chrono::steady_clock::now();
    if (std::exchange(heard, heard_ms()) != heard_ms()) since = now;
    return now - since >= kSilence;
  });
}

void Phone::run(Ear& ear) {
  std::array<int16_t, 160> pcm;
  auto next = std::chrono::steady_clock::now();
  for (int64_t sample = 0; !stop_;) {
    next += std::chrono::milliseconds(kTickMs);
    std::this_thread::sleep_until(next);
    if (ear.caller == 0) {
      ear.caller = offered_port(*sipp_);
      if (ear.caller == 0) continue;
      server_port_ = ear.caller;
      lib::StreamMedia media;
      media.remote_rtp = loopback(ear.caller);
      media.remote_rtcp = loopback(static_cast<uint16_t>(ear.caller + 1));
      media.signalling = loopback(0);
      media.event_send_type = media.event_receive_type = 101;
      ear.leg.configure(media);
    }
    if (ear.leg.pull(pcm.data(), now_ns())) {
      int peak = 0;
      for (const int16_t each : pcm) peak = std::max(peak, std::abs(int{each}));
      if (peak > kLoud) heard_ms_ += kTickMs;
    }
    const bool speaks = speak_ms_ > 0;
    if (speaks) speak_ms_ -= kTickMs;
    for (int16_t& each : pcm) {
      const double turn = 2 * 3.14159265 * kToneHz * static_cast<double>(sample++) / 8000;
      each = speaks ? static_cast<int16_t>(12000 * std::sin(turn)) : int16_t{0};
    }
    if (const char* key = keys_; key != nullptr && ear.leg.send_digits(key, kKeyMs)) keys_ = nullptr;
    ear.leg.push(pcm.data(), now_ns());
  }
}

}  // namespace patchbay::test
