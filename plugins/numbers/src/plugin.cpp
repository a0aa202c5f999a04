#include <patchbay/plugin.h>
#include <patchbay/services/numbers.h>

#include <memory>

#include "number_directory.h"
#include "number_store.h"
#include "read_settings.h"
#include "routes.h"

namespace patchbay::numbers {
namespace {

class NumbersPlugin final : public Plugin {
  Status start(const Config& config) override {
    PB_TRY_VALUE(Settings settings, Settings::read(config));
    parts_ = std::make_unique<Parts>(host(), log());
    parts_->directory.configure(std::move(settings));
    parts_->routes.open();
    return publish_service();
  }
  Status check_config(const Config& config) override {
    auto settings = Settings::read(config);
    return settings ? Status() : Status(settings.error());
  }
  void reconfigure(const Config& config) override {
    if (auto settings = Settings::read(config)) parts_->directory.configure(*std::move(settings));
  }
  void stop(Done done) override {
    parts_.reset();
    done();
  }

  // Each uses those above it.
  struct Parts {
    Parts(const Host& host, const Log& log)
        : store(host, log), directory(store, log), routes(host, log, directory, store), service(host) {}
    NumberStore store;
    NumberDirectory directory;
    NumberRoutes routes;
    Provision<Numbers> service;
  };

  Status publish_service() {
    parts_->service
        .on(Numbers::find,
            [this](const Key& key, Reply<Number> reply) {
              parts_->directory.find(key.tenant, key.number,
                                     [reply = std::move(reply)](const Result<VirtualNumber>& number) mutable {
                                       if (!number) return reply.fail(number.error());
                                       // Another account would pay for a call with the tenant's key.
                                       if (number->is_key_unreadable)
                                         return reply.fail({Code::failed, "its apiKey cannot be read"});
                                       reply(reply_of(*number));
                                     });
            })
        .on(Numbers::lookup, [this](const Key& key, Reply<Summary> reply) {
          parts_->directory.lookup(
              key.tenant, key.number,
              [reply = std::move(reply)](Result<Summary> summary) mutable { reply(std::move(summary)); });
        });
    return parts_->service.publish();
  }

  std::unique_ptr<Parts> parts_;
};

}  // namespace
}  // namespace patchbay::numbers

PATCHBAY_PLUGIN(patchbay::numbers::NumbersPlugin)
