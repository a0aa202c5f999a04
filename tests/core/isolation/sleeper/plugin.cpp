#include <patchbay/bus.h>
#include <patchbay/plugin.h>
#include <patchbay/strand.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>

#include "sleeper.h"

namespace {

using namespace patchbay;
using namespace patchbay::sleeper;

class SleeperPlugin final : public Plugin {
  Status start(const Config&) override {
    bed_ = std::make_unique<Strand>(host(), "bed");
    PB_TRY_VALUE(heard_, Subscription::open(
                             host(), "test.flood", [this](const Event&) { ++events_; }, bed_->id()));
    offered_ = std::make_unique<Provision<Sleeper>>(host());
    offered_->on(Sleeper::sleep, [this](Empty) -> Result<Empty> {
      bed_->post([file = std::filesystem::path(host().data_folder()) / "wake"] {
        while (!std::filesystem::exists(file)) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      });
      return Empty{};
    });
    offered_->on(Sleeper::count, [this](Empty) -> Result<Heard> { return Heard{events_.load()}; });
    return offered_->publish();
  }
  void stop(Done done) override {
    offered_.reset();
    // On its strand, because it may be running there.
    bed_->post([this] { heard_ = {}; });
    bed_->close(std::move(done));
  }

  std::atomic<int64_t> events_{0};
  std::unique_ptr<Strand> bed_;
  Subscription heard_;
  std::unique_ptr<Provision<Sleeper>> offered_;
};

}  // namespace

PATCHBAY_PLUGIN(SleeperPlugin)
