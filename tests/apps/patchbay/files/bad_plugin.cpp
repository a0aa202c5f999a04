// A plugin that commits the one fault named in its configuration.
#include <fcntl.h>
#include <patchbay/audio.h>
#include <patchbay/bus.h>
#include <patchbay/plugin.h>
#include <patchbay/store.h>

#include <atomic>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

namespace {

using namespace patchbay;

std::atomic<char*> lost{nullptr};  // global, so that the compiler cannot remove the leaked allocation
std::vector<std::unique_ptr<char[]>> cached;

class Port final : public AudioPort {
 public:
  uint32_t pull_rate_hz() const noexcept override { return 8000; }
  uint32_t push_rate_hz() const noexcept override { return 0; }
  void pull(pb_frame& out) noexcept override {
    publish(*host, {"bad.pulled", "", "", "", "{}"});
    out.flags |= PB_FRAME_SILENCE;
  }
  void push(const pb_frame&) noexcept override {}
  const Host* host = nullptr;
};

class Bad final : public Plugin {
  Status start(const Config& config) override {
    fault_ = config.plugin().text("fault", "");
    if (fault_ == "lease") host().services->query(host().self, to_abi("patchbay.http/1"));
    if (fault_ == "heap") lost = new char[20000];
    if (fault_ == "cache" && cached.size() < 100) cached.push_back(std::make_unique<char[]>(20000));
    if (fault_ == "descriptor") static_cast<void>(::open("/dev/null", O_RDONLY));
    if (fault_ == "thread") std::thread([] { std::this_thread::sleep_for(std::chrono::hours(1)); }).detach();
    if (fault_ == "seal" && host().store->seal(host().self, to_abi("x"), to_abi("y"))->len == 0) return {};
    if (fault_ == "media") {
      port_.host = &host();
      port_.open(host());
    }
    if (fault_ == "throws") {
      PB_TRY_VALUE(events_,
                   Subscription::open(host(), "*", [](const Event&) { throw std::runtime_error("no"); }));
    }
    if (fault_ == "mute") return {Code::failed, ""};
    return {};
  }
  void finish_start(Done done) override {
    if (fault_ == "hang") held_ = std::make_unique<Done>(std::move(done));
  }
  void stop(Done done) override {
    if (fault_ == "crash") std::abort();
    events_ = {};
    port_.close([held = std::make_shared<Done>(std::move(done))] { (*held)(); });
  }

  std::string fault_;
  Port port_;
  Subscription events_;
  std::unique_ptr<Done> held_;
};

}  // namespace

PATCHBAY_PLUGIN(Bad)
