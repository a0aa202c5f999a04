// FakeAudio: patchbay.audio for tests. A join moves a frame each way for every 20 ms that the test's clock is
// advanced. Converts rates by repeating and dropping samples, without filtering.
#pragma once

#include <array>
#include <atomic>
#include <map>
#include <memory>

#include "../end_watch.h"
#include "../services/audio.h"
#include "fake_port.h"
#include "test_environment.h"

namespace patchbay::testing {

// Create it before the plugin is started; it must live as long as the host.
class FakeAudio {
 public:
  explicit FakeAudio(TestEnvironment& environment)
      : environment_(&environment), joins_(&environment.make<Joins>()) {
    static_cast<void>(environment.provide<audio::Audio>([this](Provision<audio::Audio>& provision) {
      provision.on(audio::Audio::join, [this](const audio::Join& what) { return join(what); });
      provision.on(audio::Audio::leave, [this](const audio::Joined& which, Reply<Empty> reply) {
        leave(which.join, std::move(reply));
      });
    }));
  }

  // The number of current joins.
  size_t joined() const {
    static_cast<void>(environment_->settle());
    return environment_->run([this] { return joins_->size(); });
  }

 private:
  struct Side {
    const pb_port* table = nullptr;
    void* self = nullptr;
    uint64_t opening = 0;
  };
  struct Join {
    explicit Join(const Host& to) : host(&to) {}
    // Runs after the media loop has detached the join (see leave()), or with the host.
    ~Join() {
      for (const Side& side : {a, b})
        if (side.opening != 0) host->media->port_release(host->self, side.opening);
    }
    const Host* host;
    Side a, b;
    uint64_t attachment = 0;
    std::array<EndWatch, 3> needed;  // the caller and both ports: the end of any ends the join
    bool begun = false;              // [media]
  };
  using Joins = std::map<int64_t, std::shared_ptr<Join>>;

  static bool open(const Host& host, Handle port, Side& side) {
    side.opening = host.media->port_open(host.self, port.id, &side.table, &side.self);
    return side.opening != 0;
  }
  // [test's strand]
  Result<audio::Joined> join(const audio::Join& what) const {
    const Host& host = environment_->host();
    auto made = std::make_shared<Join>(host);
    if (!open(host, what.a, made->a) || !open(host, what.b, made->b))
      return Error{Code::gone, "there is no such port"};
    made->attachment = host.media->attach(host.self, PB_LOOP_ANY, &FakeAudio::tick, made.get());
    const int64_t id = static_cast<int64_t>(made->attachment);
    size_t index = 0;
    for (const Handle needed : {calling_plugin(host), what.a, what.b})
      made->needed[index++] = EndWatch(host, needed, [*this, id] { leave(id, [](const Result<Empty>&) {}); });
    joins_->emplace(id, std::move(made));
    return audio::Joined{id};
  }
  // [test's strand] Replies once the media loop has detached the join.
  template <class F>
  void leave(int64_t id, F reply) const {
    const auto at = joins_->find(id);
    if (at == joins_->end()) return reply(Empty{});
    struct Leaving {
      const Host* host;
      std::shared_ptr<Join> join;
      F reply;
    };
    auto* leaving = new Leaving{&environment_->host(), std::move(at->second), std::move(reply)};
    joins_->erase(at);
    leaving->join->needed = {};
    leaving->host->media->detach(
        leaving->host->self, leaving->join->attachment,
        [](void* user) noexcept {
          std::unique_ptr<Leaving> left(static_cast<Leaving*>(user));
          if (left->join->begun) {
            left->join->a.table->detached(left->join->a.self);
            left->join->b.table->detached(left->join->b.self);
          }
          const Host& host = *left->host;
          post(host, kMainStrand, [left = std::move(left)]() mutable {
            left->join.reset();
            left->reply(Empty{});
          });
        },
        leaving);
  }

  // [media]
  static void tick(void* user, const pb_tick* tick) noexcept {
    auto& join = *static_cast<Join*>(user);
    if (!join.begun) {
      join.a.table->attached(join.a.self, tick->loop);
      join.b.table->attached(join.b.self, tick->loop);
      join.begun = true;
    }
    carry(join.a, join.b, *tick);
    carry(join.b, join.a, *tick);
  }
  static void carry(const Side& from, const Side& to, const pb_tick& tick) noexcept {
    std::array<int16_t, kMaxSamples> given{}, taken{};
    pb_frame frame = frame_of(given.data(), from.table->pull_rate_hz, tick);
    frame.samples = 0;
    if (from.table->pull_rate_hz != 0)
      from.table->pull(from.self, &frame);
    else
      frame.flags |= PB_FRAME_SILENCE;
    if (to.table->push_rate_hz == 0) return;
    pb_frame out = frame_of(taken.data(), to.table->push_rate_hz, tick);
    out.samples = out.capacity;
    out.flags = frame.flags;
    const bool silent = (frame.flags & PB_FRAME_SILENCE) != 0 || frame.samples == 0;
    for (uint32_t i = 0; i < out.samples && !silent; ++i)
      taken[i] = given[uint64_t{i} * frame.samples / out.samples];
    to.table->push(to.self, &out);
  }
  static pb_frame frame_of(int16_t* pcm, uint32_t rate_hz, const pb_tick& tick) noexcept {
    pb_frame frame{};
    frame.size = sizeof frame;
    frame.tick = tick.number;
    frame.time_ns = tick.time_ns;
    frame.rate_hz = rate_hz;
    frame.capacity = std::min<uint32_t>(rate_hz / 1000 * PB_TICK_MS, kMaxSamples);
    frame.pcm = pcm;
    return frame;
  }

  static constexpr size_t kMaxSamples = 960;  // 20 ms at 48 kHz
  TestEnvironment* environment_;
  Joins* joins_;  // used on the test's strand only; lives as long as the environment
};

}  // namespace patchbay::testing
