// Access to the calls of a server: what is tapped, played and whispered in a call with a tone in each
// direction.
#include <doctest/doctest.h>
#include <patchbay/services/call_access.h>
#include <patchbay/tone.h>

#include <cmath>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include "plugins/sip-trunk/call_fixture.h"
#include "plugins/sip-trunk/rtp_peer.h"
#include "plugins/sip-trunk/voice.h"
#include "support/json_without_host.h"

using namespace patchbay;
using namespace patchbay::test;
using telephony::CallAccess;

namespace {

constexpr double kTheirHz = 700;
constexpr double kSaidHz = 2100;
constexpr char kCall[] = "oac-0123456789ab";
constexpr char kGranted[] = ", callAccess: [probe]";

// The share of a tone in the energy of the last half second, 0 to 1.
double share_of(double hz, const std::vector<int16_t>& pcm) {
  const size_t count = std::min<size_t>(pcm.size(), kVoiceRateHz / 2);
  if (count < kVoiceRateHz / 2) return 0;
  const double snr = support::snr_db(pcm.data() + pcm.size() - count, count, hz, kVoiceRateHz);
  return 1 / (1 + std::pow(10, -snr / 10));
}

// Runs f(host, done(Result<T>)) on the probe's strand and waits.
template <class T, class F>
Result<T> ask(F f) {
  auto answer = std::make_shared<std::promise<Result<T>>>();
  probe::run([&f, answer](const Host& host) {
    f(host, [answer](Result<T> result) { answer->set_value(std::move(result)); });
  });
  return probe::wait(answer->get_future());
}

// Runs f(host) there and waits.
template <class F>
void on_strand(F f) {
  CHECK(ask<int>([&](const Host& host, auto done) {
          f(host);
          done(0);
        }).ok());
}

std::string list_of(const std::string& tenant = "acme.example") {
  std::shared_ptr<Service<telephony::Calls>> calls;
  const auto list = ask<telephony::CallList>([&](const Host& host, auto done) {
    calls = std::make_shared<Service<telephony::Calls>>(host);
    calls->call(telephony::Calls::list, {tenant}, done);
  });
  on_strand([&](const Host&) { calls.reset(); });
  return list ? list->calls : list.error().text;
}

// A CallAccess on the probe's strand.
struct Ear {
  Ear() {
    on_strand([this](const Host& host) {
      access = std::make_unique<CallAccess>(host, kVoiceRateHz);
      access->on_ended([this] {
        access.reset();
        ended.set_value(0);
      });
    });
  }
  ~Ear() {
    if (is_ended) return;
    run([](CallAccess& open) { open.close(); });
    CHECK(wait_end());
  }
  std::string open(const std::string& hear, const std::string& say, const std::string& call = kCall) {
    const auto opened = ask<int>([&](const Host&, auto done) {
      access->open({"acme.example", call, hear, say},
                   [done](const Status& status) { done(status ? Result<int>(0) : status.error()); });
    });
    return opened ? "" : opened.error().text;
  }
  template <class F>
  void run(F f) {
    on_strand([&](const Host&) {
      if (access) f(*access);
    });
  }
  // What it hears for a second.
  std::vector<int16_t> record() {
    const auto wav = ask<Wav>([this](const Host&, auto done) {
      access->recorder().start(1000, [done](Wav heard) { done(std::move(heard)); });
    });
    REQUIRE(wav.ok());
    return wav->samples;
  }
  // Says a tone for as long as it lives.
  void speak() {
    run([](CallAccess& open) {
      open.player().repeat(make_tone({kSaidHz, 0, -12, 0, 0}, kVoiceRateHz, 1000));
    });
  }
  bool wait_end() {
    is_ended = true;
    return probe::wait(ended.get_future()).ok();
  }

  std::unique_ptr<CallAccess> access;
  std::promise<Result<int>> ended;
  bool is_ended = false;
};

// A call in which the telephone sends one tone and the owner another.
struct TonesCall {
  explicit TonesCall(const std::string& settings = kGranted)
      : server(server_config(trunk_entry("a", "127.0.0.1", peer.port()) + ", " +
                                 trunk_entry("b", "127.0.0.1", peer.port()),
                             settings),
               nullptr, {probe::http_entry()}) {
    REQUIRE(server.start_error() == "");
    owner.dial();
    invite = peer.receive("INVITE ", 20'000);
    REQUIRE_FALSE(invite.empty());
  }
  ~TonesCall() { owner.go(); }
  void answer() {
    const std::string sdp =
        "v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\nm=audio " +
        std::to_string(phone.port()) + " RTP/AVP 0\r\n";
    peer.send(sip_port(server), answer_to(invite, "200 OK", "sip:" + peer.address(), "", sdp));
    const auto answered = probe::wait(owner.answered.get_future());
    REQUIRE(answered);
    REQUIRE_FALSE(peer.receive("ACK ", 20'000).empty());
    voice = std::make_unique<Voice>(answered->port);
    phone.start(static_cast<uint16_t>(std::stoi(invite.substr(invite.find("m=audio ") + 8))));
    REQUIRE(is_undisturbed());
  }
  bool is_undisturbed() {
    return within(std::chrono::seconds(20),
                  [&] { return voice->port.hears(kTheirHz) && phone.hears(kOurHz); });
  }
  void end() {
    probe::run([this](const Host& host) {
      Lease<telephony::Leg>::open(host, owner.leg).send(telephony::Leg::hangup, {"enough"});
    });
    const std::string bye = peer.receive("BYE ", 20'000);
    REQUIRE_FALSE(bye.empty());
    peer.send(sip_port(server), answer_to(bye, "200 OK"));
    REQUIRE(probe::wait(owner.ended.get_future()));
  }

  RawPeer peer;
  RtpPeer phone{kTheirHz};
  TestServer server;
  Owner owner;
  std::string invite;
  std::unique_ptr<Voice> voice;
};

}  // namespace

TEST_CASE("calls are listed, and their two sides are tapped while the call goes on undisturbed") {
  TonesCall call;
  const auto ringing = json_without_host(list_of());
  REQUIRE(ringing.ok());
  REQUIRE(ringing->root().size() == 1);
  const JsonView one = ringing->root().at(0);
  CHECK(one.text("callId", "") == kCall);
  CHECK(one.text("direction", "") == "outbound");
  CHECK(one.text("number", "") == "+4930123456");
  CHECK(one.text("state", "") == "dialling");
  CHECK(one.integer("startedMs", 0) > 1'600'000'000'000);
  CHECK(list_of("other.example") == "[]");
  CHECK(Ear().open("both", "") == "the call has no audio yet");

  call.answer();
  CHECK(list_of().find(R"("state":"answered","trunk":"a")") != std::string::npos);
  {
    Ear far, near, both;
    REQUIRE(far.open("far", "") == "");
    REQUIRE(near.open("near", "") == "");
    REQUIRE(both.open("both", "") == "");
    CHECK(share_of(kTheirHz, far.record()) > 0.95);
    CHECK(share_of(kOurHz, near.record()) > 0.95);
    const auto mixed = both.record();
    CHECK(share_of(kTheirHz, mixed) > 0.3);
    CHECK(share_of(kOurHz, mixed) > 0.3);
    CHECK(call.is_undisturbed());
  }
  CHECK(wait_metric(call.server, "patchbay_media_joins 1"));
  call.end();
  CHECK(list_of() == "[]");
}

TEST_CASE("what is played into a call is heard by both sides, and a whisper by one only") {
  TonesCall call;
  call.answer();
  const auto owner_hears = [&] { return share_of(kSaidHz, call.voice->port.heard()); };
  const auto phone_hears = [&] { return share_of(kSaidHz, call.phone.heard()); };
  const auto eventually = [](auto holds) { return within(std::chrono::seconds(20), holds); };
  {
    Ear whisper;
    REQUIRE(whisper.open("", "near") == "");
    whisper.speak();
    CHECK(eventually([&] { return owner_hears() > 0.1; }));
    CHECK(phone_hears() < 0.001);
  }
  CHECK(call.is_undisturbed());
  {
    Ear coach;
    REQUIRE(coach.open("near", "far") == "");
    coach.speak();
    CHECK(eventually([&] { return phone_hears() > 0.1; }));
    CHECK(eventually([&] { return owner_hears() < 0.001; }));
    CHECK(share_of(kSaidHz, coach.record()) < 0.001);  // it does not hear itself
  }
  CHECK(call.is_undisturbed());
  {
    Ear announcement;
    REQUIRE(announcement.open("", "both") == "");
    announcement.speak();
    CHECK(eventually([&] { return phone_hears() > 0.1 && owner_hears() > 0.1; }));
  }
  CHECK(call.is_undisturbed());
  call.end();
}

TEST_CASE("accesses end with the call, and may be closed at any moment") {
  TonesCall call;
  call.answer();
  for (int i = 0; i < 20; ++i) {
    Ear one;
    CHECK(one.open("both", "both") == "");
    one.speak();
  }
  CHECK(call.is_undisturbed());
  Ear first, second;
  REQUIRE(first.open("both", "both") == "");
  REQUIRE(second.open("far", "") == "");
  first.speak();
  std::promise<Result<size_t>> recorded;
  second.run([&](CallAccess& open) {
    open.recorder().start(60'000, [&](const Wav& wav) { recorded.set_value(wav.samples.size()); });
  });
  CHECK(within(std::chrono::seconds(20), [&] { return share_of(kSaidHz, call.phone.heard()) > 0.1; }));
  call.end();
  CHECK(first.wait_end());
  CHECK(second.wait_end());
  const auto samples = probe::wait(recorded.get_future());
  REQUIRE(samples.ok());
  CHECK(*samples > 0);
  call.voice.reset();
  CHECK(wait_metric(call.server, "patchbay_media_joins 0"));
  CHECK(wait_no_legs(call.server));
}

TEST_CASE(
    "a plugin that the configuration does not name gets no access, and learns which setting grants it") {
  TonesCall call(", callAccess: [recorder]");
  CHECK(list_of() ==
        "the plugin probe has no access to calls; to grant it, add it to the setting callAccess of "
        "sip-trunk, as "
        "in plugins: sip-trunk: {callAccess: [probe]}");
  CHECK(Ear().open("both", "").find("callAccess") != std::string::npos);
  CHECK(call.server.log().find("a plugin without callAccess asked for calls") != std::string::npos);
}

TEST_CASE("wrong requests for access are refused with a reason") {
  TonesCall call;
  CHECK(Ear().open("left", "") == "hear and say must be far, near, both or empty");
  CHECK(Ear().open("", "") == "set hear or say, as in hear: both");
  CHECK(Ear().open("both", "", "oac-ffffffffffff") == "there is no such call");
  call.answer();
  std::vector<std::unique_ptr<Ear>> all;
  for (int i = 0; i < 8; ++i) {
    all.push_back(std::make_unique<Ear>());
    CHECK(all.back()->open("far", "") == "");
  }
  CHECK(Ear().open("far", "") == "the call has as many accesses as it may have");
}
