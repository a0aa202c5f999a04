#include <patchbay/plugin.h>
#include <patchbay/services/whitelist.h>

#include "authorizer.h"
#include "dial_gate.h"
#include "entry_store.h"
#include "read_settings.h"
#include "routes.h"

namespace patchbay::whitelist {
namespace {

class WhitelistPlugin final : public Plugin {
  Status start(const Config& config) override {
    parts_ = std::make_unique<Parts>(host());
    parts_->authorizer.reconfigure(Settings::read(config));
    PB_TRY(parts_->routes.open());
    return publish_service();
  }
  Status check_config(const Config&) override { return {}; }
  void reconfigure(const Config& config) override { parts_->authorizer.reconfigure(Settings::read(config)); }
  void stop(Done done) override {
    parts_.reset();
    done();
  }

  struct Parts {
    explicit Parts(const Host& host)
        : entries(host),
          authorizer(host),
          routes(host, authorizer, entries),
          service(host),
          dial_gate(host, entries) {}
    EntryStore entries;
    Authorizer authorizer;
    WhitelistRoutes routes;
    Provision<Whitelist> service;
    WhitelistGate dial_gate;
  };

  Status publish_service() {
    parts_->service.on(Whitelist::add, [this](const Add& add) -> Result<Empty> {
      Transaction tx = Transaction::borrow(host(), add.tx);
      PB_TRY(parts_->entries.add_to(tx, add.tenant, add.number, add.comment));
      return Empty{};
    });
    return parts_->service.publish();
  }

  std::unique_ptr<Parts> parts_;
};

}  // namespace
}  // namespace patchbay::whitelist

PATCHBAY_PLUGIN(patchbay::whitelist::WhitelistPlugin)
