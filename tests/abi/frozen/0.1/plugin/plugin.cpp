// The reference plugin: uses every function of the boundary, and starts only if each did what its header
// says, so a host that starts and stops it implements the whole boundary.
#include <patchbay/plugin.h>
#include <patchbay/services/http_routes.h>

#include "bus_step.h"
#include "json_step.h"
#include "media_step.h"
#include "observe_step.h"
#include "round.h"
#include "runtime_step.h"
#include "services_step.h"
#include "slot.h"
#include "store_step.h"

namespace {

using namespace reference;

class ReferencePlugin final : public patchbay::Plugin {
  Status start(const patchbay::Config& config) override {
    reconfigure(config);
    routes_ = std::make_unique<patchbay::http::Routes>(host());
    patchbay::http::Route route;
    route.method = "GET";
    route.path = "/reference";
    route.role = "none";
    route.summary = "Returns the configured word";
    routes_->add(route, [this](const patchbay::http::Request&) {
      return patchbay::http::ok(patchbay::JsonWriter().object().member("word", word_).end().str());
    });
    routes_->open();

    round_ = std::make_unique<Round>(host());
    round_->add(std::make_unique<JsonStep>(host()));
    round_->add(std::make_unique<ObserveStep>(host()));
    round_->add(std::make_unique<RuntimeStep>(host()));
    round_->add(std::make_unique<BusStep>(host()));
    round_->add(std::make_unique<ServicesStep>(host()));
    round_->add(std::make_unique<StoreStep>(host()));
    round_->add(std::make_unique<MediaStep>(host()));
    return {};
  }
  void finish_start(Done done) override { round_->run(std::move(done)); }

  Status check_config(const patchbay::Config& config) override {
    if (config.plugin().text("word", "") == "bad") return {Code::invalid, "word must not be bad"};
    return {};
  }
  void reconfigure(const patchbay::Config& config) override { word_ = config.plugin().text("word", ""); }
  void drain(Done done) override { done(); }
  void stop(Done done) override {
    routes_.reset();
    round_.reset();
    done();
  }

  std::string word_;
  std::unique_ptr<patchbay::http::Routes> routes_;
  std::unique_ptr<Round> round_;
};

}  // namespace

REFERENCE_PLUGIN(ReferencePlugin)
