// Counts answered calls, serves the count and publishes milestones. Replace it with your code.
#include <patchbay/bus.h>
#include <patchbay/plugin.h>
#include <patchbay/services/http_routes.h>

namespace {

class %CLASS% final : public patchbay::Plugin {
  // Everything here runs on the plugin's main strand, one task at a time, so no lock is needed.
  patchbay::Status start(const patchbay::Config& config) override {
    milestone_ = config.plugin().integer("milestone", 100);
    PB_TRY_VALUE(answered_, patchbay::Subscription::open(host(), "call.answered", [this](const patchbay::Event& event) {
                   count(event);
                 }));
    patchbay::http::Route route;
    route.method = "GET";
    route.path = "/api.ashx/v1/%NAME%";
    route.role = "user";
    route.area = "%NAME%";
    route.summary = "How many calls were answered";
    routes_.add(route, [this](const patchbay::http::Request&) {
      return patchbay::http::ok(patchbay::JsonWriter().object().member("answered", count_).end().str());
    });
    routes_.open();
    return {};
  }

  // Accepts a new configuration without a restart.
  patchbay::Status check_config(const patchbay::Config&) override { return {}; }
  void reconfigure(const patchbay::Config& config) override {
    milestone_ = config.plugin().integer("milestone", 100);
  }

  void count(const patchbay::Event& event) {
    ++count_;
    if (count_ % milestone_ != 0) return;
    log().with(event.correlation()).info("a milestone", {{"answered", count_}});
    patchbay::NewEvent reached;
    reached.topic = "%NAME%.milestone";
    reached.tenant = event.tenant();
    reached.payload = patchbay::JsonWriter().object().member("answered", count_).end().str();
    patchbay::publish(host(), reached);
  }

  int64_t milestone_ = 100;
  int64_t count_ = 0;
  patchbay::Subscription answered_;
  patchbay::http::Routes routes_{host()};
};

}  // namespace

PATCHBAY_PLUGIN(%CLASS%)
