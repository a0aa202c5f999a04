#include <patchbay/plugin.h>

namespace {

class Greeter final : public patchbay::Plugin {
  patchbay::Status start(const patchbay::Config& config) override {
    greeting_ = config.plugin()["greeting"].text();
    log().info(greeting_);
    return {};
  }

  std::string greeting_;
};

}  // namespace

PATCHBAY_PLUGIN(Greeter)
