// Our key changes in a call whose sequence number has rolled over. The peer is libsrtp2.
#include <doctest/doctest.h>
#include <srtp2/srtp.h>

#include <array>
#include <memory>
#include <vector>

#include "rtp/audio_stream.h"
#include "rtp/packet.h"
#include "secure/secure_media.h"
#include "srtp/srtp_functions.h"

using namespace patchbay;
using namespace patchbay::sip_trunk;

namespace {

constexpr auto kProfile = lib::SrtpProfile::aead_aes128_gcm;

const lib::SocketAddress kHost = *lib::SocketAddress::parse("127.0.0.1", 0);

// Receives with libsrtp2.
class LibsrtpPeer {
 public:
  // What it does when the other side has a new key.
  enum class Count { goes_on, begins_anew };
  explicit LibsrtpPeer(Count count) : count_(count) { REQUIRE(lib::load_srtp()); }
  ~LibsrtpPeer() { srtp_dealloc(session_); }
  LibsrtpPeer(const LibsrtpPeer&) = delete;
  LibsrtpPeer& operator=(const LibsrtpPeer&) = delete;

  uint16_t port() const { return socket_.rtp_port(); }
  void set_key(const lib::MasterKey& key) {
    srtp_policy_t policy{};
    policy.ssrc = {ssrc_any_inbound, 0};
    srtp_crypto_policy_set_aes_gcm_128_16_auth(&policy.rtp);
    srtp_crypto_policy_set_aes_gcm_128_16_auth(&policy.rtcp);
    policy.key = const_cast<unsigned char*>(key.key());
    policy.window_size = 128;
    if (session_ != nullptr && count_ == Count::goes_on) {
      REQUIRE(srtp_update(session_, &policy) == srtp_err_status_ok);
      return;
    }
    if (session_ != nullptr) srtp_dealloc(session_);
    REQUIRE(srtp_create(&session_, &policy) == srtp_err_status_ok);
  }
  void receive() {
    while (socket_.receive(lib::RtpSocket::Channel::rtp, datagram_)) {
      int size = static_cast<int>(datagram_.size);
      const bool is_good = srtp_unprotect(session_, datagram_.data.data(), &size) == srtp_err_status_ok;
      ++(is_good ? accepted : refused);
      if (const auto packet = lib::parse_rtp(datagram_.data.data(), datagram_.size)) {
        if (ssrcs.empty() || ssrcs.back() != packet->ssrc) {
          ssrcs.push_back(packet->ssrc);
          began_with_marker = packet->marker;
        }
        sequence = packet->sequence;
        timestamp = packet->timestamp;
      }
    }
  }

  int accepted = 0, refused = 0;
  std::vector<uint32_t> ssrcs;
  bool began_with_marker = false;
  uint16_t sequence = 0;
  uint32_t timestamp = 0;

 private:
  const Count count_;
  lib::RtpSocket socket_ = *lib::RtpSocket::open(kHost, 0, 0);
  srtp_t session_ = nullptr;
  lib::Datagram datagram_;
};

// A call that has just begun, whose sequence numbers begin with `sequence`.
struct SecureCall {
  SecureCall(LibsrtpPeer::Count count, uint16_t sequence) : peer(count) {
    lib::AudioStream::Options options;
    options.random = uint64_t{sequence} << 32 | 0x12345678;
    stream = std::make_unique<lib::AudioStream>(*lib::RtpSocket::open(kHost, 0, 0), options);
    change_key();
    lib::StreamMedia to_peer;
    to_peer.remote_rtp = kHost.with_port(peer.port());
    stream->configure(to_peer);
  }
  void change_key() {
    const lib::MasterKey key = *lib::MasterKey::random(kProfile);
    protection = *media.protection(key, theirs, protection.get());
    peer.set_key(key);
    secure();
  }
  void secure() {
    lib::StreamSecurity security{true, protection, nullptr, false};
    stream->secure(security);
  }
  void send(int packets) {
    const std::array<int16_t, 160> silence{};
    for (int i = 0; i < packets; ++i) {
      stream->push(silence.data(), 0);
      peer.receive();
    }
  }

  LibsrtpPeer peer;
  SecureMedia media;
  const lib::MasterKey theirs = *lib::MasterKey::random(kProfile);
  std::shared_ptr<SrtpProtection> protection;
  std::unique_ptr<lib::AudioStream> stream;
};

}  // namespace

TEST_CASE(
    "a new key after a roll-over is understood by peers whose count goes on and by those that begin it "
    "anew") {
  for (const auto count : {LibsrtpPeer::Count::goes_on, LibsrtpPeer::Count::begins_anew}) {
    SecureCall call(count, 0x7FFF);
    call.send(0x8001 + 50);  // rolls over
    CHECK(call.peer.sequence == 49);
    const uint32_t timestamp = call.peer.timestamp;
    call.change_key();
    call.send(50);
    CHECK(call.peer.accepted == 0x8001 + 100);
    CHECK(call.peer.refused == 0);
    CHECK(call.peer.ssrcs.size() == 2);
    CHECK(call.peer.began_with_marker);
    CHECK(call.peer.timestamp == timestamp + 50 * 160);
    // The new source rolls over, too.
    call.send(0x10000 - call.peer.sequence + 10);
    CHECK(call.peer.sequence == 10);
    CHECK(call.peer.refused == 0);
    CHECK(call.peer.ssrcs.size() == 2);
  }
}

TEST_CASE("a new key before a roll-over, and the same key after it, leave the source as it is") {
  for (const auto count : {LibsrtpPeer::Count::goes_on, LibsrtpPeer::Count::begins_anew}) {
    SecureCall call(count, 0x7FFF);
    call.send(50);
    call.change_key();
    call.send(0x8001);  // rolls over
    call.protection = *call.media.protection(call.protection->sent_key(), *lib::MasterKey::random(kProfile),
                                             call.protection.get());
    call.secure();  // a hold, for example, with a new key of the peer
    call.send(50);
    CHECK(call.peer.sequence == 99);
    CHECK(call.peer.refused == 0);
    CHECK(call.peer.ssrcs.size() == 1);
  }
}
