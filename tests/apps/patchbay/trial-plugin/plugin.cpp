#include <patchbay/audio.h>
#include <patchbay/bus.h>
#include <patchbay/plugin.h>
#include <unistd.h>

#include <algorithm>
#include <array>

namespace {

using namespace patchbay;

// Returns the previous frame.
class EchoPort final : public AudioPort {
 public:
  uint32_t pull_rate_hz() const noexcept override { return 8000; }
  uint32_t push_rate_hz() const noexcept override { return 8000; }
  void push(const pb_frame& in) noexcept override { std::copy_n(in.pcm, in.samples, heard_.begin()); }
  void pull(pb_frame& out) noexcept override {
    out.samples = out.capacity;
    std::copy_n(heard_.begin(), out.samples, out.pcm);
  }

 private:
  std::array<int16_t, 160> heard_{};  // [media]
};

class Trial final : public Plugin {
  Status start(const Config& config) override {
    log().info("begun", {{"build", TRIAL_BUILD}, {"value", config.plugin().text("token", "")}});
    while (config.plugin().boolean("hang", false)) pause();
    if (config.plugin().boolean("port", true)) port_.open(host());
    PB_TRY_VALUE(asked_, Subscription::open(host(), "trial.asked", [this](const Event& event) {
                   publish(host(), {"trial.heard", "", std::string(event.subject()), "",
                                    std::string(event.payload())});
                 }));
    return {};
  }
  void stop(Done done) override {
    if (!port_.handle()) return done();
    port_.close([done = std::move(done)]() mutable { done(); });
  }

  EchoPort port_;
  Subscription asked_;
};

}  // namespace

PATCHBAY_PLUGIN(Trial)
