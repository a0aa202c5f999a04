#include <patchbay/lifetime.h>
#include <patchbay/plugin.h>
#include <patchbay/strand.h>

#include <fstream>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "calls/call_access.h"
#include "dialogs/dialog_store.h"
#include "endpoints.h"
#include "ladder/ladders.h"
#include "legs/inbound_calls.h"
#include "legs/outbound_calls.h"
#include "metrics.h"
#include "read_settings.h"
#include "registrar/registrar.h"
#include "routes/route_tables.h"
#include "settings_change.h"
#include "stack/sip_limits.h"
#include "stack/sip_stack.h"
#include "telephony_service.h"
#include "tls/certificate_files.h"
#include "trunks/resolver.h"
#include "trunks/shared_trunk_use.h"
#include "trunks/trunk_health.h"
#include "trunks/trunk_limits.h"
#include "trunks/trunk_names.h"
#include "trunks/trunk_registrations.h"
#include "users/contact_directory.h"
#include "users/user_calls.h"

namespace patchbay::sip_trunk {
namespace {

class SipTrunk final : public Plugin {
  Status start(const Config& config) override {
    PB_TRY_VALUE(settings_, Settings::read(config));
    warn();
    metrics_ = std::make_unique<Metrics>(host());
    PB_TRY_VALUE(lib::Owner owner, lib::Owner::read(host()));
    shared_use_ = std::make_unique<SharedTrunkUse>(host(), limits_, owner);
    shared_use_->start();
    const std::string node = owner.node;
    dialogs_ = std::make_unique<DialogStore>(host(), *metrics_, std::move(owner));
    PB_TRY_VALUE(const SipStack::Options options, stack_options());
    make_parts(node);
    PB_TRY_VALUE(stack_, SipStack::start(options));
    if (settings_.registrar.is_on) {
      const bool has_certificate = !settings_.server.tls_files.certificate.empty();
      const Status listens = registrar_->start(has_certificate ? options.certificates : nullptr);
      if (!listens) return {listens.error().code, "registrar: " + listens.error().text};
    }
    start_parts();
    write_listening_file();
    export_stats();
    offer_services();
    return {};
  }

  // Offers the service once the telephones are known, and the routes, because an earlier call could take a
  // wrong trunk.
  void finish_start(Done done) override {
    registrar_->load([this, done = std::make_shared<Done>(std::move(done))] { load_routes(done); });
  }
  void load_routes(const std::shared_ptr<Done>& done) {
    tables_->load([this, done](Status status) {
      if (status) status = service_->publish();
      if (status) status = accesses_->publish();
      if (status) endpoints_->open();
      if (status) inbound_->open();
      (*done)(std::move(status));
    });
  }

  Status check_config(const Config& config) override {
    PB_TRY_VALUE(const Settings next, Settings::read(config));
    if (next.uses_tls()) PB_TRY(TlsCertificates::load(next.server.tls_files));
    if (!stack_) return {};  // called before start()
    return check_change(settings_, next, has_tcp_, has_tls_);
  }

  void reconfigure(const Config& config) override {
    auto next = Settings::read(config);
    if (!next) return;
    settings_ = *std::move(next);
    warn();
    if (has_tls_)
      if (auto loaded = certificates_.load(settings_.server.tls_files)) use_certificates(*std::move(loaded));
    registrar_->configure();
    tables_->configure(settings_);
    names_->watch(settings_.trunk_names());
    health_->configure(settings_);
    registrations_->configure(settings_);
    update_allowed_peers();
  }

  Result<SipStack::Options> stack_options() {
    SipStack::Options options;
    options.listen_ip = settings_.server.listen_ip;
    options.listen_port = settings_.server.listen_port;
    options.advertise = settings_.server.advertise;
    options.tcp = has_tcp_ = settings_.uses_tcp();
    options.allowed_peers = settings_.trunk_addresses();
    options.silence_timeout_ms = settings_.server.silence_timeout_ms;
    options.log = dialogs_.get();
    options.messages = &ladders_;
    options.tls = has_tls_ = settings_.uses_tls();
    options.tls_port = settings_.server.tls_port;
    if (options.tls) {
      PB_TRY_VALUE(options.certificates, certificates_.load(settings_.server.tls_files));
    }
    options.on_call = [this, take = alive_.bind([this](DialogId dialog, const InboundInvite& invite) {
      inbound_->on_call(dialog, invite);
    })](DialogId dialog, const InboundInvite& invite) {
      post(host(), kMainStrand, [take, dialog, invite]() mutable { take(dialog, invite); });
    };
    options.on_filter_changed = [this, take = alive_.bind([this](const Status& filtered) {
      on_filter_changed(filtered);
    })](const Status& filtered) {
      post(host(), kMainStrand, [take, filtered]() mutable { take(filtered); });
    };
    return options;
  }

  // Makes what the stack's callbacks use. `node`: this server.
  void make_parts(const std::string& node) {
    contacts_ = std::make_unique<ContactDirectory>(host());
    user_calls_ = std::make_unique<UserCalls>(host(), settings_, *contacts_);
    user_calls_->on_count([this] { on_legs_changed(); });
    registrar_ =
        std::make_unique<Registrar>(host(), settings_, *contacts_, ladders_, *metrics_, *dialogs_, node);
    registrar_->on_count([this] { on_legs_changed(); });
    names_ = std::make_unique<TrunkNames>(host(), resolver_, *metrics_, [this] { update_allowed_peers(); });
    health_ = std::make_unique<TrunkHealth>(host(), resolver_);
    registrations_ = std::make_unique<TrunkRegistrations>(host(), resolver_);
    tables_ = std::make_unique<RouteTables>(host());
    tables_->configure(settings_);
    endpoints_ = std::make_unique<Endpoints>(host(), settings_, *tables_, *names_, gates_, limits_, *health_,
                                             *registrations_, ladders_, *contacts_);
    outbound_ = std::make_unique<OutboundCalls>(host(), settings_, tables_->outbound, resolver_, limits_,
                                                *health_, directory_, *metrics_, ladders_);
    outbound_->on_count([this] { on_legs_changed(); });
    inbound_ = std::make_unique<InboundCalls>(host(), settings_, *names_, limits_, tables_->inbound,
                                              directory_, *metrics_);
    inbound_->keep_ladders(ladders_);
    inbound_->on_count([this] { on_legs_changed(); });
    inbound_->set_last_answerer(user_calls_->answerer());
  }

  void start_parts() {
    outbound_->set_stack(*stack_);
    inbound_->set_stack(*stack_);
    health_->set_stack(*stack_);
    health_->configure(settings_);
    registrations_->set_stack(*stack_);
    registrations_->configure(settings_);
    names_->watch(settings_.trunk_names());
    dialogs_->watch_orphans([this](StoredDialog dialog) {
      log().warn("ending a call of a process that died",
                 {{"dialog", dialog.call_id}, {"trunk", dialog.trunk_id}});
      if (is_contact_trunk_id(dialog.trunk_id)) return registrar_->hang_up_stored(std::move(dialog));
      TrunkAccess trunk = settings_.trunk(dialog.tenant, dialog.trunk_id);
      stack_->hang_up_stored(std::move(dialog), std::move(trunk));
    });
  }

  void offer_services() {
    accesses_ = std::make_unique<CallAccesses>(host(), directory_.calls(), settings_);
    service_ = std::make_unique<TelephonyService>(
        host(), TelephonyService::Parts{settings_, gates_, *outbound_, *inbound_, *contacts_, *user_calls_,
                                        ladders_});
  }

  void warn() {
    for (const std::string& warning : settings_.warnings()) log().warn(warning);
  }

  void use_certificates(const std::shared_ptr<const TlsCertificates>& certificates) {
    stack_->set_certificates(certificates);
    registrar_->set_certificates(certificates);
  }

  void drain(Done done) override {
    service_->drain();
    directory_.stop_dialling();
    inbound_->drain();
    registrar_->drain();
    when_idle([done = std::make_shared<Done>(std::move(done))] { (*done)(); });
  }
  void stop(Done done) override {
    service_.reset();
    directory_.stop_dialling();
    inbound_->drain();  // before the routes and names that it uses go
    endpoints_.reset();
    tables_.reset();
    names_.reset();
    health_->stop();
    auto held = std::make_shared<Done>(std::move(done));
    accesses_->stop([held] {});  // holds `done` until they are closed
    registrations_->stop([this, held] { stop_stack(held); });
  }
  void stop_stack(const std::shared_ptr<Done>& held) {
    // Runs on a worker, because stopping the stack waits for the peers; on the strand only if no worker is
    // free.
    const Status posted = post_worker(host(), [this, held] {
      stop_stacks();
      post(host(), kMainStrand, [this, held] { when_idle([held] {}); });
    });
    if (posted) return;
    stop_stacks();
    when_idle([held] {});
  }

  void stop_stacks() {
    registrar_->stop_stack();
    stack_->stop();
  }

  size_t leg_count() const { return outbound_->count() + inbound_->count() + registrar_->leg_count(); }
  size_t live_handles() const { return stack_->live_handles() + registrar_->live_handles(); }
  void on_legs_changed() {
    metrics_->set_legs(leg_count(), live_handles());
    if (leg_count() == 0 && idle_) std::exchange(idle_, {})();
  }
  void when_idle(Function<void()> done) {
    if (leg_count() == 0) return done();
    if (idle_) std::exchange(idle_, {})();
    idle_ = std::move(done);
  }

  // For tests and scripts that configure port 0.
  void write_listening_file() {
    const std::string address = settings_.server.listen_ip + ":" + std::to_string(stack_->port());
    log().info("listening for SIP", {{"address", address}});
    JsonWriter json;
    json.object().member("sip", address);
    if (stack_->tls_port() != 0)
      json.member("sips", settings_.server.listen_ip + ":" + std::to_string(stack_->tls_port()));
    if (!registrar_->address().empty()) json.member("registrar", registrar_->address());
    if (!registrar_->tls_address().empty()) json.member("registrarTls", registrar_->tls_address());
    json.end();
    std::ofstream(std::string(from_abi(host().store->data_folder(host().self))) + "/listening.json")
        << json.str();
  }

  void export_stats() {
    metrics_->set_legs(leg_count(), live_handles());
    metrics_->set_counts(stack_->counts());
    stats_timer_.after_ms(kStatsMs, [this] { export_stats(); });
  }

  void on_filter_changed(const Status& filtered) {
    metrics_->set_filtered(filtered.ok());
    if (filtered) return log().info("the kernel drops SIP from unknown addresses");
    log().warn("no peer filter: SIP from any address is processed", {{"why", filtered.error().text}});
  }

  void update_allowed_peers() {
    std::vector<lib::SocketAddress> peers = settings_.trunk_addresses();
    for (const auto& address : names_->addresses()) peers.push_back(address);
    stack_->set_allowed_peers(std::move(peers));
  }

  Settings settings_;
  Ladders ladders_;  // outlives the stack
  Resolver resolver_;
  std::unique_ptr<Metrics> metrics_;      // outlives the next three
  std::unique_ptr<DialogStore> dialogs_;  // outlives the stack
  std::unique_ptr<SipStack> stack_;
  std::unique_ptr<TrunkNames> names_;
  CertificateFiles certificates_{
      host(), [this](CertificateFiles::Certificates renewed) { use_certificates(renewed); }};
  Timer stats_timer_{host()};
  std::map<std::string, RegisteredGate> gates_;  // by name
  LegDirectory directory_{gates_};               // outlives the legs
  TrunkLimits limits_;                           // outlives the legs and the next one
  std::unique_ptr<SharedTrunkUse> shared_use_;
  std::unique_ptr<TrunkRegistrations> registrations_;  // outlives the endpoints
  std::unique_ptr<TrunkHealth> health_;                // outlives the legs and the endpoints
  std::unique_ptr<CallAccesses> accesses_;             // outlives the legs
  std::unique_ptr<OutboundCalls> outbound_;
  bool has_tcp_ = false;
  bool has_tls_ = false;
  Function<void()> idle_;
  std::unique_ptr<ContactDirectory> contacts_;  // outlives the next two and the endpoints
  std::unique_ptr<UserCalls> user_calls_;
  std::unique_ptr<Registrar> registrar_;
  std::unique_ptr<RouteTables> tables_;  // outlives the next one
  std::unique_ptr<Endpoints> endpoints_;
  std::unique_ptr<InboundCalls> inbound_;
  std::unique_ptr<TelephonyService> service_;
  Lifetime alive_;
};

}  // namespace
}  // namespace patchbay::sip_trunk

PATCHBAY_PLUGIN(patchbay::sip_trunk::SipTrunk)
