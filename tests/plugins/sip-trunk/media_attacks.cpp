// Attacks on the audio of calls in a server: rows M1 and M2 of the list of attacks. And new keys within a
// call.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <memory>
#include <random>
#include <string>
#include <thread>

#include "call_fixture.h"
#include "rtp_peer.h"
#include "sdp/sdp_security.h"
#include "secure/secure_media.h"
#include "voice.h"

using namespace patchbay;
using namespace patchbay::test;

namespace {

constexpr double kPeerHz = 700;
constexpr double kAttackHz = 2100;

// The share of a tone in the energy of the samples, 0 to 1.
double share_of(double hz, const std::vector<int16_t>& pcm) {
  const double snr = support::snr_db(pcm, hz, kVoiceRateHz);
  return 1 / (1 + std::pow(10, -snr / 10));
}

std::string attribute(const std::string& message, const std::string& name) {
  const size_t at = message.find("a=" + name + ":");
  if (at == std::string::npos) return {};
  const size_t begin = at + name.size() + 3;
  return message.substr(begin, message.find("\r\n", begin) - begin);
}

uint16_t audio_port(const std::string& message) {
  return static_cast<uint16_t>(std::stoi(message.substr(message.find("m=audio ") + 8)));
}

std::string sdp_of(const RtpPeer& peer, const std::string& protocol, const std::string& attributes) {
  return "v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\nm=audio " +
         std::to_string(peer.port()) + " " + protocol + " 0\r\n" + attributes;
}

lib::MasterKey key_of(char byte) {
  return *lib::MasterKey::from(lib::SrtpProfile::aes128_cm_sha1_80, std::string(30, byte));
}

// The line of the server's offer or answer with AES-CM.
lib::CryptoLine server_line(const std::string& message) {
  std::string rest = message;
  while (true) {
    const std::string value = attribute(rest, "crypto");
    REQUIRE_FALSE(value.empty());
    const auto line = lib::parse_crypto(value);
    REQUIRE(line);
    if (line->key.profile() == lib::SrtpProfile::aes128_cm_sha1_80) return *line;
    rest.erase(0, rest.find("a=crypto:") + 9);
  }
}

// A call of a server whose trunk is one SIP peer, which sends and gets audio.
struct AudioCall {
  explicit AudioCall(const std::string& trunk_settings, const std::string& plugin_settings = "",
                     const char* address = "127.0.0.1")
      : ip(address),
        peer(address),
        phone(kPeerHz, address),
        server(server_config(trunk("a", trunk_settings) + ", " + trunk("b", trunk_settings), plugin_settings),
               nullptr, {probe::http_entry()}) {
    REQUIRE(server.start_error() == "");
    owner.dial();
    invite = peer.receive("INVITE ", 20'000);
    REQUIRE_FALSE(invite.empty());
    media_port = audio_port(invite);
  }
  ~AudioCall() { owner.go(); }

  std::string trunk(const std::string& id, const std::string& settings) const {
    return "{id: " + id + ", host: '" + ip + "', port: " + std::to_string(peer.port()) + settings + "}";
  }
  void answer(const std::string& sdp) {
    peer.send(sip_port(server), answer_to(invite, "200 OK", "sip:" + peer.address(), "", sdp));
    const auto answered = probe::wait(owner.answered.get_future());
    REQUIRE(answered);
    REQUIRE(answered->port);
    REQUIRE_FALSE(peer.receive("ACK ", 20'000).empty());
    voice = std::make_unique<Voice>(answered->port);
  }
  // Encrypts the peer's audio, as the keys of an answer with `ours` want it.
  void secure(const lib::CryptoLine& theirs, const lib::MasterKey& ours) {
    auto protection = keys.protection(ours, theirs.key, current.get());
    REQUIRE(protection);
    current = *protection;
    phone.secure(current);
  }
  // A re-INVITE of the peer; returns the answer.
  std::string reinvite(const std::string& sdp, int sequence) {
    std::string request = peer.request("INVITE", "sip:us@127.0.0.1:" + std::to_string(sip_port(server)),
                                       header(invite, "To") + ";tag=peer", header(invite, "From"),
                                       header(invite, "Call-ID"), sequence);
    request.replace(
        request.find("Content-Length: 0\r\n\r\n"), 21,
        "Content-Type: application/sdp\r\nContent-Length: " + std::to_string(sdp.size()) + "\r\n\r\n" + sdp);
    peer.send(sip_port(server), request);
    std::string answer;
    do answer = peer.receive("SIP/2.0 ", 20'000);
    while (answer.rfind("SIP/2.0 1", 0) == 0);
    peer.send(sip_port(server), peer.request("ACK", "sip:us@127.0.0.1:" + std::to_string(sip_port(server)),
                                             header(invite, "To") + ";tag=peer", header(invite, "From"),
                                             header(invite, "Call-ID"), sequence));
    return answer;
  }
  bool is_heard() {
    return within(std::chrono::seconds(20),
                  [&] { return voice->port.hears(kPeerHz) && phone.hears(kOurHz); });
  }
  size_t log_lines() const {
    const std::string log = server.log();
    return static_cast<size_t>(std::count(log.begin(), log.end(), '\n'));
  }

  const std::string ip;
  RawPeer peer;
  RtpPeer phone;
  sip_trunk::SecureMedia keys;
  std::shared_ptr<sip_trunk::SrtpProtection> current;
  TestServer server;
  Owner owner;
  std::string invite;
  uint16_t media_port = 0;
  std::unique_ptr<Voice> voice;
};

// A stranger that sends a tone to every port of the range, RTP and RTCP, well-formed and cut.
struct Sprayer {
  explicit Sprayer(const std::string& ip)
      : phone(kAttackHz, ip), socket(*lib::RtpSocket::open(*lib::SocketAddress::parse(ip, 0), 0, 0)) {}

  void spray(uint16_t first, uint16_t last) {
    for (uint16_t port = first; port <= last; ++port) {
      const auto to = *lib::SocketAddress::parse("127.0.0.1", port);
      RtpPeer::Bytes audio = phone.packet(0x6666, sequence, tone.data() + sequence % 50 * RtpPeer::kFrame);
      ++sequence;
      audio.resize(lib::kRtpHeaderBytes + RtpPeer::kFrame);
      for (const RtpPeer::Bytes& bytes :
           {audio, RtpPeer::Bytes{0x80, 200, 0, 0}, RtpPeer::Bytes{0x80, 201, 0, 1, 0, 0, 0, 1},
            RtpPeer::Bytes(30, 22)})
        (void)socket.send(lib::RtpSocket::Channel::rtp, to, bytes.data(), bytes.size());
    }
  }
  // Datagrams that came to the stranger.
  int received() {
    int count = 0;
    for (const auto channel : {lib::RtpSocket::Channel::rtp, lib::RtpSocket::Channel::rtcp})
      while (socket.receive(channel, datagram)) ++count;
    return count;
  }

  RtpPeer phone;
  lib::RtpSocket socket;
  std::vector<int16_t> tone = support::make_tone(kAttackHz, kVoiceRateHz, kVoiceRateHz);
  uint16_t sequence = 0;
  lib::Datagram datagram;
};

}  // namespace

TEST_CASE(
    "M1: RTP sprayed from a foreign address during and after the set-up is not heard and gets nothing") {
  AudioCall call("");
  Sprayer stranger("127.0.0.2");
  std::atomic<bool> stop{false};
  std::thread spraying([&] {
    while (!stop) {
      stranger.spray(static_cast<uint16_t>(call.media_port - 10),
                     static_cast<uint16_t>(call.media_port + 10));
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(200));  // the call rings
  call.answer(sdp_of(call.phone, "RTP/AVP", ""));
  std::this_thread::sleep_for(std::chrono::milliseconds(300));  // it is up, and the peer has sent nothing yet
  call.phone.start(call.media_port);
  CHECK(call.is_heard());
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  CHECK(call.is_heard());
  stop = true;
  spraying.join();
  CHECK(share_of(kAttackHz, call.voice->port.heard()) < 0.001);
  CHECK(stranger.received() == 0);
}

TEST_CASE(
    "M2: bad tags, replays, wrong sources and audio in the clear from the peer's own address change "
    "nothing") {
  AudioCall call(", srtp: required");
  const lib::CryptoLine theirs = server_line(call.invite);
  const lib::MasterKey ours = key_of('p');
  call.secure(theirs, ours);
  call.answer(sdp_of(call.phone, "RTP/SAVP", "a=crypto:" + lib::to_text({theirs.tag, ours}) + "\r\n"));
  call.phone.start(call.media_port);
  REQUIRE(call.is_heard());

  const size_t lines_before = call.log_lines();
  const auto begin = std::chrono::steady_clock::now();
  const std::vector<int16_t> attack = support::make_tone(kAttackHz, kVoiceRateHz, kVoiceRateHz);
  const std::vector<RtpPeer::Bytes> recorded = call.phone.sent();
  std::mt19937 random(20261123);
  for (int i = 0; i < 10'000; ++i) {
    const auto sequence = static_cast<uint16_t>(random());
    RtpPeer::Bytes bad = call.phone.packet(i % 3 == 0 ? 0x9999 : 0x1234, sequence, attack.data());
    if (i % 4 == 0) bad.resize(lib::kRtpHeaderBytes + RtpPeer::kFrame);             // in the clear
    if (i % 4 == 1) bad.resize(lib::kRtpHeaderBytes + RtpPeer::kFrame + 10, 0x5A);  // a bad tag
    if (i % 4 == 2) bad = recorded[random() % recorded.size()];                     // a replay
    if (i % 4 == 3) {
      bad = recorded[random() % recorded.size()];
      bad[8 + random() % 4] ^= 1;  // another source
    }
    call.phone.send_raw(bad);
    if (i % 20 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  CHECK(call.is_heard());
  const auto seconds =
      std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - begin).count();
  CHECK(call.log_lines() - lines_before <= static_cast<size_t>(seconds) + 1);
  CHECK(share_of(kAttackHz, call.voice->port.heard()) < 0.001);
  CHECK(call.phone.refused() == 0);
}

TEST_CASE("a call over IPv6 has audio in both directions, in the clear and encrypted") {
  for (const bool is_secure : {false, true}) {
    AudioCall call(is_secure ? ", srtp: required" : "", ", listenIp: '::1'", "::1");
    CHECK(call.invite.find("c=IN IP6 ::1\r\n") != std::string::npos);
    std::string sdp = sdp_of(call.phone, "RTP/AVP", "");
    if (is_secure) {
      const lib::CryptoLine theirs = server_line(call.invite);
      const lib::MasterKey ours = key_of('p');
      call.secure(theirs, ours);
      sdp = sdp_of(call.phone, "RTP/SAVP", "a=crypto:" + lib::to_text({theirs.tag, ours}) + "\r\n");
    }
    for (size_t at = sdp.find("IP4 127.0.0.1"); at != std::string::npos; at = sdp.find("IP4 127.0.0.1"))
      sdp.replace(at, 13, "IP6 ::1");
    call.answer(sdp);
    call.phone.start(call.media_port);
    CHECK(call.is_heard());
  }
}

TEST_CASE("a call whose audio comes from elsewhere ends with that reason") {
  AudioCall call("", ", noMediaTimeoutSec: 2");
  call.answer(sdp_of(call.phone, "RTP/AVP", ""));
  Sprayer stranger("127.0.0.2");
  for (int i = 0; i < 20; ++i) stranger.spray(call.media_port, call.media_port);
  const std::string bye = call.peer.receive("BYE ", 30'000);
  REQUIRE_FALSE(bye.empty());
  call.peer.send(sip_port(call.server), answer_to(bye, "200 OK"));
  const auto ended = probe::wait(call.owner.ended.get_future());
  REQUIRE(ended);
  CAPTURE(ended->detail);
  CHECK(ended->cause == "failed");
  CHECK(ended->detail.rfind("no media for 2 s", 0) == 0);
  // By the kernel or by us, if they came before the filter.
  CHECK(ended->detail.find(" packets ") != std::string::npos);
}

TEST_CASE("a re-INVITE may bring new keys, and the call goes on with them") {
  AudioCall call(", srtp: required");
  const lib::CryptoLine theirs = server_line(call.invite);
  lib::MasterKey ours = key_of('p');
  call.secure(theirs, ours);
  call.answer(sdp_of(call.phone, "RTP/SAVP", "a=crypto:" + lib::to_text({theirs.tag, ours}) + "\r\n"));
  call.phone.start(call.media_port);
  REQUIRE(call.is_heard());
  for (int round = 0; round < 3; ++round) {
    ours = key_of(static_cast<char>('q' + round));
    const std::string answer = call.reinvite(
        sdp_of(call.phone, "RTP/SAVP", "a=crypto:" + lib::to_text({7, ours}) + "\r\n"), 2 + round);
    REQUIRE(answer.rfind("SIP/2.0 200", 0) == 0);
    const lib::CryptoLine line = server_line(answer);
    CHECK(line.tag == 7);
    call.secure(line, ours);
    const size_t before = call.voice->port.heard().size();
    CHECK(within(std::chrono::seconds(20),
                 [&] { return call.voice->port.heard().size() > before + kVoiceRateHz; }));
    CHECK(call.is_heard());
  }
  CHECK(call.reinvite(sdp_of(call.phone, "RTP/AVP", ""), 9).rfind("SIP/2.0 488", 0) == 0);
  CHECK(call.server.log().find("AES_CM_128_HMAC_SHA1_80") != std::string::npos);
  CHECK(call.server.log().find("inline:") == std::string::npos);
  CHECK(call.is_heard());
  // Packets with the old key that were under way were taken, too.
  call.peer.send(sip_port(call.server),
                 call.peer.request("BYE", "sip:us@127.0.0.1:" + std::to_string(sip_port(call.server)),
                                   header(call.invite, "To") + ";tag=peer", header(call.invite, "From"),
                                   header(call.invite, "Call-ID"), 10));
  const auto ended = probe::wait(call.owner.ended.get_future());
  REQUIRE(ended);
  CHECK(ended->rtp_refused == 0);
  CHECK(ended->rtp_lost <= 0);
}
