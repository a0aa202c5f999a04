#include <patchbay/plugin.h>
#include <patchbay/services/telephony.h>

#include <fstream>
#include <map>
#include <memory>
#include <utility>

#include "config.h"
#include "outbound_leg.h"
#include "sip_stack.h"

namespace patchbay::sip_trunk {
namespace {

class SipTrunk final : public Plugin {
  Status start(const Config& config) override {
    PB_TRY_VALUE(settings_, Settings::read(config));
    SipStack::Options options;
    options.listen_ip = settings_.server.listen_ip;
    options.listen_port = settings_.server.listen_port;
    options.silence_timeout_ms = settings_.server.silence_timeout_ms;
    PB_TRY_VALUE(stack_, SipStack::start(options));
    tell_port();
    legs_metric_ =
        std::make_unique<Metric>(Metric::gauge(host(), "patchbay_sip_trunk_legs", "Calls out that run"));

    service_ = std::make_unique<Provision<telephony::Telephony>>(host());
    using T = telephony::Telephony;
    service_->on(T::dial, [this](const telephony::Dial& request) { return dial(request); })
        .on(T::add_gate,
            [this](const telephony::AddGate& gate) -> Result<Empty> {
              gates_[gate.name] = Gate{gate.name, gate.gate};
              return Empty{};
            })
        .on(T::status, [this](const telephony::StatusOf& which) { return status(which.tenant); });
    return service_->publish();
  }

  Status check_config(const Config& config) override {
    PB_TRY_VALUE(const Settings next, Settings::read(config));
    if (next.server.listen_ip != settings_.server.listen_ip ||
        next.server.listen_port != settings_.server.listen_port) {
      return {Code::unsupported, "listenIp and listenPort change only by a restart"};
    }
    return {};
  }
  void reconfigure(const Config& config) override {
    auto next = Settings::read(config);
    if (next) settings_ = *std::move(next);
  }

  void drain(Done done) override {
    draining_ = true;
    when_idle([done = std::make_shared<Done>(std::move(done))] { (*done)(); });
  }
  void stop(Done done) override {
    service_.reset();
    draining_ = true;
    auto held = std::make_shared<Done>(std::move(done));
    // Stopping the stack ends its dialogs and waits for the peers: not on a strand, unless all workers are
    // taken.
    const Status posted = post_worker(host(), [this, held] {
      stack_->stop();
      post(host(), kMainStrand, [this, held] { when_idle([held] { (*held)(); }); });
    });
    if (posted) return;
    stack_->stop();
    when_idle([held] { (*held)(); });
  }

  Result<telephony::Dialled> dial(const telephony::Dial& request) {
    if (draining_) return {Code::unavailable, "the server is stopping"};
    const auto tenant = settings_.tenants.find(request.tenant);
    if (tenant == settings_.tenants.end() || tenant->second.trunks_for(request.number).empty()) {
      return {Code::not_found, "no trunk is configured for the number"};
    }
    const int64_t id = ++last_id_;
    auto leg = std::make_unique<OutboundLeg>(host(), *stack_, settings_.server, tenant->second, request,
                                             [this, id] { gone(id); });
    const telephony::Dialled dialled{leg->handle()};
    OutboundLeg& started = *leg;
    legs_.emplace(id, std::move(leg));
    legs_metric_->set(static_cast<double>(legs_.size()));
    std::vector<Gate> gates;
    for (const auto& [name, gate] : gates_) gates.push_back(gate);
    started.start(gates);
    return dialled;
  }

  Result<telephony::TelephonyStatus> status(const std::string& tenant) const {
    const auto at = settings_.tenants.find(tenant);
    telephony::TelephonyStatus told;
    told.configured = at != settings_.tenants.end() && !at->second.trunks.empty();
    told.able = told.configured && !draining_;
    if (draining_) told.reason = "The server is stopping.";
    return told;
  }

  // Called from inside the leg: it goes when that has returned.
  void gone(int64_t id) {
    post(host(), kMainStrand, [this, id] {
      legs_.erase(id);
      legs_metric_->set(static_cast<double>(legs_.size()));
      if (legs_.empty() && idle_) std::exchange(idle_, {})();
    });
  }
  void when_idle(Function<void()> done) {
    if (legs_.empty()) return done();
    if (idle_) std::exchange(idle_, {})();
    idle_ = std::move(done);
  }

  // For who configured port 0: tests, scripts.
  void tell_port() {
    const std::string address = settings_.server.listen_ip + ":" + std::to_string(stack_->port());
    log().info("listening for SIP", {{"address", address}});
    JsonWriter json;
    json.object().member("sip", address).end();
    std::ofstream(std::string(from_abi(host().store->data_folder(host().self))) + "/listening.json")
        << json.str();
  }

  Settings settings_;
  std::unique_ptr<SipStack> stack_;
  std::unique_ptr<Metric> legs_metric_;
  std::map<std::string, Gate> gates_;  // by name
  std::map<int64_t, std::unique_ptr<OutboundLeg>> legs_;
  int64_t last_id_ = 0;
  bool draining_ = false;
  Function<void()> idle_;
  std::unique_ptr<Provision<telephony::Telephony>> service_;
};

}  // namespace
}  // namespace patchbay::sip_trunk

PATCHBAY_PLUGIN(patchbay::sip_trunk::SipTrunk)
