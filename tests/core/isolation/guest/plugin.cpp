#include <patchbay/plugin.h>
#include <patchbay/strand.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <utility>

namespace {

using namespace patchbay;

class GuestPlugin final : public Plugin {
  Status start(const Config&) override {
    thread_ = std::thread([this] {
      while (!stopping_) hold_strand();
    });
    return {};
  }
  void stop(Done done) override {
    stopping_ = true;
    thread_.join();  // throws if this is the thread
    done();
  }

  // Holds the main strand for long enough that what others post is queued meanwhile.
  void hold_strand() {
    queued_ = true;
    run_on(host(), kMainStrand, [this] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      queued_ = false;
    });
    if (!queued_) {
      if (!std::exchange(has_run_, true)) log().info("the plugin's thread runs its main strand");
      return;
    }
    // Another thread runs the strand: waits until the strand is idle again.
    while (queued_ && !stopping_) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }

  std::atomic<bool> stopping_{false};
  std::atomic<bool> queued_{false};
  bool has_run_ = false;
  std::thread thread_;
};

}  // namespace

PATCHBAY_PLUGIN(GuestPlugin)
