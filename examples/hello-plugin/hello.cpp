#include <patchbay/plugin.h>
#include <patchbay/services/http_routes.h>

namespace {

class Hello final : public patchbay::Plugin {
  patchbay::Status start(const patchbay::Config& config) override {
    greeting_ = config.plugin().text("greeting", "hello");
    patchbay::http::Route route;
    route.method = "GET";
    route.path = "/hello";
    route.role = "none";
    route.summary = "Says hello";
    routes_.add(route, [this](const patchbay::http::Request& request) {
      log().with(request.correlation).info("greeted", {{"remote", request.remote}});
      return patchbay::http::ok(patchbay::JsonWriter().object().member("text", greeting_).end().str());
    });
    routes_.open();
    return {};
  }

  std::string greeting_;
  patchbay::http::Routes routes_{host()};
};

}  // namespace

PATCHBAY_PLUGIN(Hello)
