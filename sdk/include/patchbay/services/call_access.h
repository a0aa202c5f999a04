// CallAccess: an access to a call of another plugin, with a player and a recorder. Create, use and destroy it
// on the main strand.
//
//   access_ = std::make_unique<telephony::CallAccess>(host());
//   access_->on_ended([this] { access_.reset(); });
//   access_->open({"localhost", call_id, "both", "near"}, [this](const Status& opened) {  // tap and whisper
//     if (!opened) return log().error(opened.error().text);
//     access_->recorder().start(60'000, [this](Wav heard) { ... });
//     access_->player().play(advice_);
//   });
#pragma once

#include <utility>

#include "../end_watch.h"
#include "../lifetime.h"
#include "../strand.h"
#include "../voice_port.h"
#include "audio.h"
#include "calls.h"

namespace patchbay::telephony {

class CallAccess {
 public:
  // `rate_hz`: of what is played and recorded; see VoicePort.
  explicit CallAccess(const Host& host, uint32_t rate_hz = 16000)
      : host_(&host), calls_(host), audio_(host), voice_(host, rate_hz) {}
  CallAccess(const CallAccess&) = delete;
  CallAccess& operator=(const CallAccess&) = delete;

  // Opens the access, once, and connects it with player() and recorder(); then calls done(Status). After an
  // error on_ended() follows. The errors are those of Calls::open and Audio::join.
  template <class F>
  void open(const OpenAccess& request, F done) {
    calls_.call(Calls::open, request,
                [this, done = std::move(done)](const Result<telephony::Access>& opened) mutable {
                  if (!opened) return fail(opened.error(), std::move(done));
                  access_ = opened->access;
                  if (is_over_) return calls_.send(Calls::close, {access_});
                  call_ended_ = EndWatch(*host_, opened->port, [this] { close(); });
                  join(opened->port, std::move(done));
                });
  }
  // f(): the access has ended, by close() or with the call; called once and last, after the done() of a
  // recording that ran. Destroy this then, not before.
  void on_ended(Function<void()> f) { on_ended_ = std::move(f); }
  // Ends the access at any moment; on_ended() follows.
  void close() {
    if (std::exchange(is_over_, true)) return;
    call_ended_ = EndWatch();
    if (access_ != 0) calls_.send(Calls::close, {access_});
    voice_.player().stop();
    voice_.recorder().stop();
    // Later, because on_ended() destroys this.
    post(*host_, kMainStrand, alive_.bind([this] {
      voice_.close([this] {
        const Function<void()> ended = std::move(on_ended_);
        if (ended) ended();
      });
    }));
  }

  // What it says to the call: the sides of OpenAccess::say.
  Player& player() noexcept { return voice_.player(); }
  // What it hears of the call: the sides of OpenAccess::hear.
  Recorder& recorder() noexcept { return voice_.recorder(); }

 private:
  template <class F>
  void join(Handle port, F done) {
    audio_.call(audio::Audio::join, {port, voice_.open(*host_), ""},
                [this, done = std::move(done)](const Result<audio::Joined>& joined) mutable {
                  if (!joined) return fail(joined.error(), std::move(done));
                  done(Status());
                });
  }
  template <class F>
  void fail(const Error& why, F done) {
    done(Status(why));
    close();
  }

  const Host* host_;
  Service<Calls> calls_;
  Service<audio::Audio> audio_;
  VoicePort voice_;
  EndWatch call_ended_;
  Function<void()> on_ended_;
  int64_t access_ = 0;
  bool is_over_ = false;
  Lifetime alive_;
};

}  // namespace patchbay::telephony
