#include <patchbay/plugin.h>
#include <patchbay/services/telephony.h>
#include <patchbay/services/whitelist.h>

#include "authorizer.h"
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
    PB_TRY(publish_service());
    register_dial_gate();
    return {};
  }
  Status check_config(const Config&) override { return {}; }
  void reconfigure(const Config& config) override { parts_->authorizer.reconfigure(Settings::read(config)); }
  void stop(Done done) override {
    parts_.reset();
    done();
  }

  struct Parts {
    explicit Parts(const Host& host)
        : dials_refused(
              Metric::counter(host, "patchbay_whitelist_dials_refused_total",
                              "Dials to numbers that are not listed, or that could not be looked up")),
          entries(host),
          authorizer(host),
          routes(host, authorizer, entries),
          service(host),
          dial_gate(host),
          telephony(host) {}
    const Metric dials_refused;
    EntryStore entries;
    Authorizer authorizer;
    WhitelistRoutes routes;
    Provision<Whitelist> service;
    Provision<telephony::DialGate> dial_gate;
    Service<telephony::Telephony> telephony;
  };

  Status publish_service() {
    parts_->service.on(Whitelist::add, [this](const Add& add) -> Result<Empty> {
      Transaction tx = Transaction::borrow(host(), add.tx);
      PB_TRY(parts_->entries.add_to(tx, add.tenant, add.number, add.comment));
      return Empty{};
    });
    return parts_->service.publish();
  }

  void register_dial_gate() {
    parts_->dial_gate.on(telephony::DialGate::check,
                         [this](const telephony::Check& check, Reply<telephony::Verdict> reply) {
                           this->check(check, std::move(reply));
                         });
    parts_->telephony.on_change([this](bool up) {
      if (!up) return;
      parts_->telephony.call(telephony::Telephony::add_gate, {"whitelist", parts_->dial_gate.handle()},
                             [this](const Result<Empty>& done) {
                               if (!done)
                                 log().error("telephony refused the dial gate", {{"why", done.error().text}});
                             });
    });
  }

  void check(const telephony::Check& check, Reply<telephony::Verdict> reply) {
    parts_->entries.contains(
        check.tenant, check.number,
        [log = log().with(check.correlation), call = check.call_id, refused = parts_->dials_refused,
         reply = std::move(reply)](const Result<bool>& listed) mutable {
          if (listed && *listed) return reply(telephony::Verdict{true, ""});
          refused.add();
          if (listed) return reply(telephony::Verdict{false, "not whitelisted"});
          log.error("the dial is refused because the whitelist could not be read",
                    {{"call", call}, {"why", listed.error().text}});
          reply(telephony::Verdict{false, "the whitelist could not be read"});
        });
  }

  std::unique_ptr<Parts> parts_;
};

}  // namespace
}  // namespace patchbay::whitelist

PATCHBAY_PLUGIN(patchbay::whitelist::WhitelistPlugin)
