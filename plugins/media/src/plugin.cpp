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
    active_ = std::make_unique<Metric>(Metric::gauge(host(), "patchbay_media_joins", "Running audio joins"));
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
    for (const auto& [id, running] : bridges_) close(id, [] {});
    if (bridges_.empty()) stopped_.reset();
  }

  // A join also ends with its caller, or when one of its ports is closed; close() of the port waits for it.
  Result<audio::Joined> join(const audio::Join& request) {
    PB_TRY_VALUE(auto bridge, Bridge::start(host(), request.a, request.b));
    const int64_t id = ++last_id_;
    Running& running = bridges_[id];
    running.bridge = std::move(bridge);
    size_t index = 0;
    for (const Handle needed : {calling_plugin(host()), request.a, request.b})
      running.needed[index++] = EndWatch(host(), needed, [this, id] { close_abandoned(id); });
    active_->set(static_cast<double>(bridges_.size()));
    return audio::Joined{id};
  }

  void close_abandoned(int64_t id) {
    if (bridges_.count(id) == 0) return;
    abandoned_->add();
    close(id, [] {});
  }

  void leave(int64_t id, Reply<Empty> reply) {
    if (bridges_.count(id) == 0) return reply(Empty{});
    close(id, [reply = std::move(reply)]() mutable { reply(Empty{}); });
  }

  // Calls closed() once the bridge has stopped; several callers may wait for one bridge.
  void close(int64_t id, Function<void()> closed) {
    Running& running = bridges_.at(id);
    running.waiting.push_back(std::move(closed));
    if (running.waiting.size() > 1) return;  // stopping already
    running.bridge->stop([this, id] {
      const Running ended = std::move(bridges_.at(id));
      bridges_.erase(id);
      active_->set(static_cast<double>(bridges_.size()));
      for (const auto& each : ended.waiting) each();
      if (bridges_.empty()) stopped_.reset();
    });
  }

  struct Running {
    std::unique_ptr<Bridge> bridge;
    std::vector<Function<void()>> waiting;  // callbacks of close()
    std::array<EndWatch, 3> needed;         // the caller and both ports: the end of any ends the join
  };

  std::unique_ptr<Metric> active_;
  std::unique_ptr<Metric> abandoned_;
  std::unique_ptr<Provision<audio::Audio>> service_;
  std::map<int64_t, Running> bridges_;
  int64_t last_id_ = 0;
  std::unique_ptr<Done> stopped_;
};

}  // namespace
}  // namespace patchbay::media

PATCHBAY_PLUGIN(patchbay::media::Media)
