#include <patchbay/bus.h>
#include <patchbay/plugin.h>
#include <patchbay/services/http_routes.h>

namespace {

class Greeter final : public patchbay::Plugin {
  patchbay::Status start(const patchbay::Config& config) override {
    greeting_ = config.plugin()["greeting"].text();
    PB_TRY_VALUE(answered_,
                 patchbay::Subscription::open(host(), "call.answered", [this](const patchbay::Event& event) {
                   ++count_;
                   log().with(event.correlation()).info(greeting_, {{"call", event.subject()}});
                 }));
    patchbay::http::Route route;
    route.method = "GET";
    route.path = "/hello";
    route.role = "none";
    route.summary = "Says hello";
    routes_.add(route, [this](const patchbay::http::Request&) {
      patchbay::JsonWriter json;
      json.object().member("text", greeting_).member("answered", count_).end();
      return patchbay::http::ok(std::move(json).str());
    });
    routes_.open();
    return {};
  }

  std::string greeting_;
  int64_t count_ = 0;
  patchbay::Subscription answered_;
  patchbay::http::Routes routes_{host()};
};

}  // namespace

PATCHBAY_PLUGIN(Greeter)
