#include <patchbay/plugin.h>

namespace {

class Greeter final : public patchbay::Plugin {
  patchbay::Status start(const patchbay::Config&) override {
    log().info("hello");
    return {};
  }
};

}  // namespace

PATCHBAY_PLUGIN(Greeter)
