#include <patchbay/bus.h>
#include <patchbay/plugin.h>

namespace {

class Greeter final : public patchbay::Plugin {
  patchbay::Status start(const patchbay::Config& config) override {
    greeting_ = config.plugin()["greeting"].text();
    PB_TRY_VALUE(answered_,
                 patchbay::Subscription::open(host(), "call.answered", [this](const patchbay::Event& event) {
                   ++count_;
                   log().with(event.correlation()).info(greeting_, {{"call", event.subject()}});
                 }));
    return {};
  }

  std::string greeting_;
  int64_t count_ = 0;
  patchbay::Subscription answered_;
};

}  // namespace

PATCHBAY_PLUGIN(Greeter)
