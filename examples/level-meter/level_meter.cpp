#include <patchbay/bus.h>
#include <patchbay/plugin.h>
#include <patchbay/services/audio.h>

#include <cmath>
#include <map>

#include "tap.h"
#include "tap_service.h"

namespace level_meter {
namespace {

using namespace patchbay;

constexpr double kSilence = -96;  // dB of full scale

double decibels(int32_t peak) { return peak == 0 ? kSilence : 20 * std::log10(peak / 32768.0); }

class LevelMeter final : public Plugin {
  Status start(const Config& config) override {
    interval_ms_ = config.plugin()["intervalMs"].integer(500);
    taps_.on(Taps::insert,
             [this](const Insert& what, Reply<Tapped> reply) { insert(what, std::move(reply)); });
    taps_.on(Taps::remove,
             [this](const Tapped& which, Reply<Empty> reply) { remove(which.tap, std::move(reply)); });
    measure();
    return taps_.publish();
  }

  // Each closing tap holds `last`, whose destructor completes the stop once every port is closed.
  void stop(Done done) override {
    const auto last = std::make_shared<Done>(std::move(done));
    while (!all_.empty()) leave(all_.begin()->first, [last](const Result<Empty>&) {});
  }

  void insert(const Insert& what, Reply<Tapped> reply) {
    const int64_t id = ++last_;
    auto tap = std::make_shared<Tap>();  // shared with the pending closes of its ports, which outlive its
                                         // entry in all_
    tap->subject = what.subject;
    all_[id] = tap;
    join(id, what.a, tap->a.open(host()), &Tap::join_a,
         [this, id, b = what.b, tap, reply = std::move(reply)](const Status& joined) mutable {
           if (!joined) return fail(id, joined.error(), std::move(reply));
           join(id, b, tap->b.open(host()), &Tap::join_b,
                [this, id, reply = std::move(reply)](const Status& both) mutable {
                  if (!both) return fail(id, both.error(), std::move(reply));
                  reply(Tapped{id});
                });
         });
  }
  template <class F>
  void join(int64_t id, Handle theirs, Handle ours, int64_t Tap::*which, F done) {
    audio_.call(audio::Audio::join, {theirs, ours, ""},
                [this, id, which, done = std::move(done)](const Result<audio::Joined>& joined) mutable {
                  if (!joined) return done(Status(joined.error()));
                  (*all_.at(id)).*which = joined->join;
                  done(Status());
                });
  }
  void fail(int64_t id, const Error& why, Reply<Tapped> reply) {
    reply(why);
    leave(id, [](const Result<Empty>&) {});
  }
  void remove(int64_t id, Reply<Empty> reply) {
    leave(id, [reply = std::move(reply)](Result<Empty> left) mutable { reply(std::move(left)); });
  }
  // Leaves both joins and closes both ports, one after the other. Leaving a join that was not made (0) is a
  // no-op.
  template <class F>
  void leave(int64_t id, F done) {
    const auto at = all_.find(id);
    if (at == all_.end()) return done(Result<Empty>(Code::not_found, "there is no such tap"));
    const std::shared_ptr<Tap> tap = at->second;
    all_.erase(at);
    audio_.call(audio::Audio::leave, {tap->join_a},
                [this, tap, done = std::move(done)](const Result<Empty>&) mutable {
                  audio_.call(audio::Audio::leave, {tap->join_b},
                              [tap, done = std::move(done)](const Result<Empty>&) mutable {
                                tap->a.close([tap, done = std::move(done)]() mutable {
                                  tap->b.close([tap, done = std::move(done)]() mutable { done(Empty{}); });
                                });
                              });
                });
  }

  void measure() {
    for (const auto& [id, tap] : all_) {
      JsonWriter level;
      level.object().member("tap", id).member("aDb", decibels(tap->from_a.take_peak()));
      level.member("bDb", decibels(tap->from_b.take_peak())).end();
      publish(host(), {"level.measured", "", tap->subject, "", level.str()});
    }
    timer_.after_ms(interval_ms_, [this] { measure(); });
  }

  int64_t interval_ms_ = 500;
  int64_t last_ = 0;
  std::map<int64_t, std::shared_ptr<Tap>> all_;
  Provision<Taps> taps_{host()};
  Service<audio::Audio> audio_{host()};
  Timer timer_{host()};
};

}  // namespace
}  // namespace level_meter

PATCHBAY_PLUGIN(level_meter::LevelMeter)
