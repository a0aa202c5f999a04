#include <patchbay/end_watch.h>
#include <patchbay/plugin.h>
#include <patchbay/services/audio.h>

#include <array>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "bridge.h"

namespace patchbay::media {
namespace {

class Media final : public Plugin {
  Status start(const Config&) override {
    active_ = std::make_unique<Metric>(Metric::gauge(host(), "patchbay_media_joins", "Audio joins that run"));
    abandoned_ = std::make_unique<Metric>(
        Metric::counter(host(), "patchbay_media_joins_abandoned_total",
                        "Audio joins that ended with their caller or a port, without leave"));
    service_ = std::make_unique<Provision<audio::Audio>>(host());
    service_->on(audio::Audio::join, [this](const audio::Join& request) { return join(request); })
        .on(audio::Audio::leave,
            [this](audio::Joined which, Reply<Empty> reply) { leave(which.join, std::move(reply)); });
    return service_->publish();
  }

  void stop(Done done) override {
    service_.reset();
    stopped_ = std::make_unique<Done>(std::move(done));
    for (const auto& [id, running] : joins_) end(id, [] {});
    if (joins_.empty()) stopped_.reset();
  }

  // A join ends by itself with the plugin that asked for it, or when one of its ports is closed: closing
  // waits for it.
  Result<audio::Joined> join(const audio::Join& request) {
    PB_TRY_VALUE(auto started, Bridge::start(host(), request.a, request.b));
    const int64_t id = ++last_id_;
    Running& running = joins_[id];
    running.join = std::move(started);
    size_t place = 0;
    for (const Handle needed : {calling_plugin(host()), request.a, request.b})
      running.needed[place++] = EndWatch(host(), needed, [this, id] { abandon(id); });
    active_->set(static_cast<double>(joins_.size()));
    return audio::Joined{id};
  }

  void abandon(int64_t id) {
    if (joins_.count(id) == 0) return;
    abandoned_->add();
    end(id, [] {});
  }

  void leave(int64_t id, Reply<Empty> reply) {
    if (joins_.count(id) == 0) return reply(Empty{});
    end(id, [reply = std::move(reply)]() mutable { reply(Empty{}); });
  }

  // then() once the join is gone; who comes while it is going waits with the others.
  void end(int64_t id, Function<void()> then) {
    Running& running = joins_.at(id);
    running.waiting.push_back(std::move(then));
    if (running.waiting.size() > 1) return;
    running.join->end([this, id] {
      const Running ended = std::move(joins_.at(id));
      joins_.erase(id);
      active_->set(static_cast<double>(joins_.size()));
      for (const auto& each : ended.waiting) each();
      if (joins_.empty()) stopped_.reset();
    });
  }

  struct Running {
    std::unique_ptr<Bridge> join;
    std::vector<Function<void()>> waiting;  // for its end
    std::array<EndWatch, 3> needed;         // the caller and the ports: without one of them it ends
  };

  std::unique_ptr<Metric> active_;
  std::unique_ptr<Metric> abandoned_;
  std::unique_ptr<Provision<audio::Audio>> service_;
  std::map<int64_t, Running> joins_;
  int64_t last_id_ = 0;
  std::unique_ptr<Done> stopped_;
};

}  // namespace
}  // namespace patchbay::media

PATCHBAY_PLUGIN(patchbay::media::Media)
