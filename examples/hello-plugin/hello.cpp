#include <patchbay/bus.h>
#include <patchbay/plugin.h>

namespace {

class Hello final : public patchbay::Plugin {
  patchbay::Status start(const patchbay::Config& config) override {
    greeting_ = config.plugin().text("greeting", "hello");
    PB_TRY_VALUE(answered_,
                 patchbay::Subscription::open(host(), "call.answered", [this](const patchbay::Event& event) {
                   log().with(event.correlation()).info("answered", {{"call", event.subject()}});
                   patchbay::JsonWriter data;
                   data.object().member("text", greeting_).end();
                   publish(host(), {"hello.greeted", std::string(event.tenant()),
                                    std::string(event.subject()), "", data.str()});
                 }));
    return {};
  }

  std::string greeting_;
  patchbay::Subscription answered_;
};

}  // namespace

PATCHBAY_PLUGIN(Hello)
