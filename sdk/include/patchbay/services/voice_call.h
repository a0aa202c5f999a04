// VoiceCall: one call that the plugin itself speaks in: its listener, its leg and its audio. Create, use and
// destroy it on the main strand.
//
//   VoiceCall& call = *(calls_[id] = std::make_unique<telephony::VoiceCall>(host()));
//   call.on_ready([&call] { call.player().play(greeting, [&call] { call.hangup("said"); }); });
//   call.on_ended([this, id](const telephony::Ended&) { calls_.erase(id); });
//   reply(telephony::Taken{call.listener(), 0, ""});     // of an answerer's offer; or Dial::listener
//   call.answer(offer.leg);                              // or call.dialled(dialled.leg)
#pragma once

#include <string>
#include <utility>

#include "../lifetime.h"
#include "../log.h"
#include "../strand.h"
#include "../voice_port.h"
#include "audio.h"
#include "telephony.h"

namespace patchbay::telephony {

class VoiceCall {
 public:
  // `rate_hz`: of what is played and recorded; see VoicePort.
  explicit VoiceCall(const Host& host, uint32_t rate_hz = 16000)
      : host_(&host), audio_(host), voice_(host, rate_hz), listener_(host) {
    listener_.on(LegListener::progress, [](const Progress&) -> Result<Empty> { return Empty{}; })
        .on(LegListener::answered,
            [this](const Answered& what) -> Result<Empty> {
              join(what.port);
              return Empty{};
            })
        .on(LegListener::digit,
            [this](const Digit& key) -> Result<Empty> {
              if (on_digit_ && !key.digit.empty()) on_digit_(key.digit[0]);
              return Empty{};
            })
        .on(LegListener::ended, [this](const Ended& how) -> Result<Empty> {
          finish(how);
          return Empty{};
        });
  }
  VoiceCall(const VoiceCall&) = delete;
  VoiceCall& operator=(const VoiceCall&) = delete;

  // Set these before the call begins. f(): the call was answered, and is connected with player() and
  // recorder().
  void on_ready(Function<void()> f) { on_ready_ = std::move(f); }
  // f(char): the far end pressed a key.
  void on_digit(Function<void(char)> f) { on_digit_ = std::move(f); }
  // f(const Ended&), called once and last, after the done() of a recording that ran. Destroy the call then,
  // not before.
  void on_ended(Function<void(const Ended&)> f) { on_ended_ = std::move(f); }

  // For Dial::listener and Taken::listener.
  Handle listener() { return listener_.handle(); }
  // The call was dialled: Dialled::leg.
  void dialled(Handle leg) { leg_ = Lease<Leg>::open(*host_, leg); }
  // Answers an inbound call, Offer::leg. Call it after the reply to the offer.
  void answer(Handle leg) {
    dialled(leg);
    leg_.send(Leg::answer, {});
  }
  // Any other method of the leg.
  const Lease<Leg>& leg() const noexcept { return leg_; }
  // on_ended() follows.
  void hangup(const std::string& reason) { leg_.send(Leg::hangup, {reason}); }
  // Ends the call without waiting for telephony, as when the plugin stops; on_ended() follows.
  void close() {
    listener_.withdraw();
    Ended how;
    how.cause = "local";
    finish(how);
  }

  Player& player() noexcept { return voice_.player(); }
  Recorder& recorder() noexcept { return voice_.recorder(); }

 private:
  void join(Handle port) {
    if (!port) return hangup("the call has no audio");
    audio_.call(audio::Audio::join, {port, voice_.open(*host_), ""},
                [this](const Result<audio::Joined>& joined) {
                  if (is_over_) return;
                  if (joined) return on_ready_ ? on_ready_() : void();
                  Log(*host_).error("a call could not be connected", {{"why", joined.error().text}});
                  hangup("the call could not be connected");
                });
  }
  // The join ends with our port.
  void finish(const Ended& how) {
    if (std::exchange(is_over_, true)) return;
    voice_.player().stop();
    voice_.recorder().stop();
    // Later, because on_ended() destroys this, and the listener is calling it.
    post(*host_, kMainStrand, alive_.bind([this, how] {
      voice_.close([this, how] {
        const Function<void(const Ended&)> ended = std::move(on_ended_);
        if (ended) ended(how);
      });
    }));
  }

  const Host* host_;
  Service<audio::Audio> audio_;
  VoicePort voice_;
  Lease<Leg> leg_;
  Provision<LegListener> listener_;
  Function<void()> on_ready_;
  Function<void(char)> on_digit_;
  Function<void(const Ended&)> on_ended_;
  bool is_over_ = false;
  Lifetime alive_;
};

}  // namespace patchbay::telephony
