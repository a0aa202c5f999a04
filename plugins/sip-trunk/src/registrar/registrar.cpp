#include "registrar/registrar.h"

#include <patchbay/hex.h>

#include <algorithm>
#include <utility>

#include "crypto/random.h"
#include "now_ms.h"
#include "stack/sip_limits.h"

namespace patchbay::sip_trunk {
namespace {

constexpr int64_t kSecondNs = 1'000'000'000, kMillisecondNs = 1'000'000;
constexpr size_t kKeyBytes = 32;

std::string contact_name(BindingId id) { return "sip-" + std::to_string(id); }

const char* outcome_name(DigestCheck::Verdict verdict) {
  switch (verdict) {
    case DigestCheck::Verdict::proven:
      return "ok";
    case DigestCheck::Verdict::unproven:
    case DigestCheck::Verdict::stale:
      return "challenged";
    case DigestCheck::Verdict::wrong:
    case DigestCheck::Verdict::foreign:
      return "refused";
    case DigestCheck::Verdict::throttled:
      return "throttled";
    case DigestCheck::Verdict::failed:
      return "failed";
  }
  return "failed";
}

}  // namespace

Registrar::Registrar(const Host& host, const Settings& settings, ContactDirectory& directory,
                     Ladders& ladders, const Metrics& metrics, DialogLog& log, std::string node)
    : host_(host),
      settings_(settings),
      directory_(directory),
      ladders_(ladders),
      metrics_(metrics),
      dialog_log_(log),
      log_(host),
      registrar_metrics_(host),
      store_(host, std::move(node)),
      sweep_timer_(host),
      keepalive_timer_(host) {}

Status Registrar::start(std::shared_ptr<const TlsCertificates> certificates) {
  const RegistrarSettings& own = settings_.registrar;
  PB_TRY_VALUE(std::string nonce_key, lib::random_bytes(kKeyBytes));
  PB_TRY_VALUE(std::string mark_key, lib::random_bytes(kKeyBytes));
  challenges_ = std::make_shared<const Challenges>(std::move(nonce_key), own.algorithms);
  check_ = std::make_unique<DigestCheck>(host_, challenges_, to_hex(mark_key));
  SipStack::Options options;
  options.listen_ip = own.listen_ip;
  options.listen_port = own.listen_port;
  options.advertise = settings_.server.advertise;
  options.tcp = own.has_tcp;
  options.tls = certificates != nullptr;
  options.tls_port = own.tls_port;
  options.certificates = std::move(certificates);
  options.silence_timeout_ms = settings_.server.silence_timeout_ms;
  options.messages = &ladders_;
  options.log = &dialog_log_;
  options.max_connections = kMaxRegistrarConnections;
  options.challenges = challenges_;
  options.on_register = [this, take = alive_.bind([this](RegisterId id, const RegisterRequest& request) {
    on_register(id, request);
  })](RegisterId id, const RegisterRequest& request) {
    post(host_, kMainStrand, [take, id, request]() mutable { take(id, request); });
  };
  PB_TRY_VALUE(stack_, SipStack::start(options));
  configure();
  sweep();
  keep_alive();
  log_.info("listening for telephones", {{"address", address()}});
  return {};
}

void Registrar::configure() {
  if (!stack_) return;
  std::set<std::string> realms;
  for (const auto& [host, tenant] : settings_.tenants) realms.insert(host);
  std::vector<BindingId> gone;
  for (const auto& [id, binding] : bindings_.all())
    if (realms.count(binding.tenant) == 0) gone.push_back(id);
  for (const BindingId id : gone) remove(id, "its tenant is gone");
  stack_->set_realms(std::move(realms));
}

void Registrar::set_certificates(std::shared_ptr<const TlsCertificates> certificates) {
  if (stack_ && certificates) stack_->set_certificates(std::move(certificates));
}

void Registrar::stop_stack() {
  if (stack_) stack_->stop();
}

void Registrar::hang_up_stored(StoredDialog dialog) {
  if (stack_) stack_->hang_up_stored(std::move(dialog), {});
}

std::string Registrar::address() const {
  return stack_ ? settings_.registrar.listen_ip + ":" + std::to_string(stack_->port()) : std::string();
}

std::string Registrar::tls_address() const {
  if (!stack_ || stack_->tls_port() == 0) return {};
  return settings_.registrar.listen_ip + ":" + std::to_string(stack_->tls_port());
}

void Registrar::refuse(RegisterId id, int status, const char* outcome, int64_t retry_sec) {
  registrar_metrics_.registered(outcome);
  RegisterReply reply;
  reply.status = status;
  reply.retry_after_sec = retry_sec;
  stack_->answer_register(id, std::move(reply));
}

void Registrar::on_register(RegisterId id, const RegisterRequest& request) {
  if (draining_) return refuse(id, 503, "draining", kDrainRetrySec);
  if (!is_loaded_) return refuse(id, 503, "failed", 1);
  if (settings_.tenants.count(request.host) == 0) return refuse(id, 404, "refused");
  check_->check(request, alive_.bind([this, id, request](const DigestCheck::Answer& answer) {
    on_checked(id, request, answer);
  }));
}

RegisterReply Registrar::challenge(const RegisterRequest& request, bool is_stale) const {
  RegisterReply reply;
  reply.status = 401;
  reply.challenges = challenges_->make(request.host, request.source.ip_text(), is_stale, now_ms());
  return reply;
}

void Registrar::on_checked(RegisterId id, const RegisterRequest& request, const DigestCheck::Answer& answer) {
  using Verdict = DigestCheck::Verdict;
  const char* outcome = outcome_name(answer.verdict);
  switch (answer.verdict) {
    case Verdict::proven:
      return register_contacts(id, request, answer.sender);
    case Verdict::unproven:
    case Verdict::stale:
    case Verdict::wrong:
      registrar_metrics_.registered(outcome);
      return stack_->answer_register(id, challenge(request, answer.verdict == Verdict::stale));
    case Verdict::foreign:
      return refuse(id, 403, outcome);
    case Verdict::throttled:
      return refuse(id, 503, outcome, answer.retry_sec);
    case Verdict::failed:
      return refuse(id, 503, outcome, kDrainRetrySec);
  }
}

void Registrar::register_contacts(RegisterId id, const RegisterRequest& request,
                                  const Bindings::Sender& sender) {
  const Bindings::Outcome outcome =
      bindings_.apply(request, sender, settings_.registrar.limits, host_.mono_ns(), host_.wall_ms());
  RegisterReply reply;
  reply.status = outcome.status;
  reply.min_expires_sec = outcome.min_expires_sec;
  if (outcome.status == 503) reply.retry_after_sec = kDrainRetrySec;
  if (outcome.status == 200) reply.contacts = contact_header(sender);
  registrar_metrics_.registered(outcome.status == 200 ? "ok" : "invalid");
  for (const BindingId gone : outcome.removed) {
    log_.info("a telephone is no longer registered", {{"tenant", sender.tenant}, {"user", sender.user}});
    unpublish(gone);
  }
  for (const BindingId added : outcome.added) {
    log_.info("a telephone is registered", {{"tenant", sender.tenant},
                                            {"user", sender.user},
                                            {"address", request.source.text()},
                                            {"transport", name_of(request.transport)}});
    publish(added);
  }
  for (const BindingId renewed : outcome.renewed) publish(renewed);
  for (const BindingId gone : outcome.removed) store_.remove(gone);
  for (const auto* ids : {&outcome.added, &outcome.renewed})
    for (const BindingId id_of : *ids)
      if (const Binding* binding = bindings_.find(id_of)) store_.save(*binding, expires_ms(*binding));
  registrar_metrics_.set_contacts(bindings_.all().size());
  stack_->answer_register(id, std::move(reply));
}

// All contacts of the user (RFC 3261 section 10.3, step 8).
std::string Registrar::contact_header(const Bindings::Sender& sender) const {
  std::string value;
  for (const Binding* binding : bindings_.of(sender.tenant, sender.user)) {
    const int64_t left_sec =
        std::max<int64_t>(0, (binding->expires_ns - host_.mono_ns() + kSecondNs - 1) / kSecondNs);
    value += (value.empty() ? "<" : ", <") + binding->uri + ">;expires=" + std::to_string(left_sec);
  }
  return value;
}

void Registrar::load(Function<void()> done) {
  if (!stack_) return done();
  store_.load(alive_.bind([this, done = std::move(done)](std::vector<ContactStore::Stored> contacts) {
    for (ContactStore::Stored& contact : contacts) restore(std::move(contact));
    if (!contacts.empty()) log_.info("telephones stay registered", {{"contacts", bindings_.all().size()}});
    registrar_metrics_.set_contacts(bindings_.all().size());
    is_loaded_ = true;
    done();
  }));
}

void Registrar::restore(ContactStore::Stored stored) {
  if (settings_.tenants.count(stored.binding.tenant) == 0) return;
  stored.binding.expires_ns = host_.mono_ns() + (stored.expires_ms - host_.wall_ms()) * kMillisecondNs;
  const auto id = bindings_.restore(stored.binding, settings_.registrar.limits);
  if (!id) return;
  store_.adopt(*id, std::move(stored));
  publish(*id);
}

int64_t Registrar::expires_ms(const Binding& binding) const {
  return host_.wall_ms() + (binding.expires_ns - host_.mono_ns()) / kMillisecondNs;
}

// Adds the contact to the directory, or renews what is known of it there.
void Registrar::publish(BindingId id) {
  const Binding* binding = bindings_.find(id);
  if (binding == nullptr) return;
  Registered& entry = registered_[id];
  if (!entry.service) {
    entry.service = std::make_unique<Provision<telephony::Contact>>(host_);
    entry.service->on(telephony::Contact::ring,
                      [this, id](const telephony::RingContact& request, Reply<telephony::Dialled> reply) {
                        ring(id, request, std::move(reply));
                      });
  }
  telephony::AddContact contact;
  contact.tenant = binding->tenant;
  contact.user = binding->user;
  contact.name = contact_name(id);
  contact.kind = "sip";
  contact.description = binding->source.text() + " " + name_of(binding->transport) +
                        (binding->user_agent.empty() ? "" : ", " + binding->user_agent);
  contact.expires_ms = expires_ms(*binding);
  contact.contact = entry.service->handle();
  const auto added = directory_.add(contact);
  if (!added) log_.warn("a telephone cannot be rung", {{"why", added.error().text}});
}

void Registrar::unpublish(BindingId id) { registered_.erase(id); }

void Registrar::remove(BindingId id, const char* why) {
  const Binding* binding = bindings_.find(id);
  if (binding == nullptr) return;
  log_.info("a telephone is no longer registered",
            {{"tenant", binding->tenant}, {"user", binding->user}, {"why", why}});
  bindings_.remove(id);
  store_.remove(id);
  unpublish(id);
  registrar_metrics_.set_contacts(bindings_.all().size());
}

void Registrar::ring(BindingId id, const telephony::RingContact& request, Reply<telephony::Dialled> reply) {
  const Binding* binding = bindings_.find(id);
  if (binding == nullptr || draining_)
    return reply(Error{Code::unavailable, "the telephone is not registered any more"});
  const Handle caller = calling_plugin(host_);
  check_->check_again(*binding, alive_.bind([this, id, request, caller,
                                             reply = std::move(reply)](const Status& still) mutable {
    if (!still && still.error().code == Code::denied) {
      // Later, because the reply goes through what is removed.
      post(host_, kMainStrand, alive_.bind([this, id] { remove(id, "its user or password has changed"); }));
      return reply(Error{Code::denied, "the user or the SIP password has changed"});
    }
    if (!still) return reply(still.error());
    reply(begin_call(id, request, caller));
  }));
}

Result<telephony::Dialled> Registrar::begin_call(BindingId id, const telephony::RingContact& request,
                                                 Handle caller) {
  const Binding* binding = bindings_.find(id);
  if (binding == nullptr || draining_) return {Code::unavailable, "the telephone is not registered any more"};
  const int64_t leg_id = ++last_leg_;
  auto leg = std::make_unique<ContactLeg>(
      host_, *stack_, settings_.server, settings_.registrar.access,
      ContactLeg::Target{binding->uri, binding->source, binding->transport}, request, caller,
      [this, leg_id, id](bool unreachable) { remove_leg(leg_id, id, unreachable); });
  leg->on_ended_for_metrics([this](const telephony::Ended& ended) { metrics_.ended(ended); });
  ladders_.add_dialog(binding->tenant, request.call_id,
                      request.call_id + "-" + std::to_string(request.fork) + "@" + binding->tenant);
  ContactLeg& started = *leg;
  const telephony::Dialled dialled{leg->handle()};
  legs_.emplace(leg_id, std::move(leg));
  if (on_count_) on_count_();
  // Later, so that the caller knows the leg before its first event.
  post(host_, kMainStrand, alive_.bind([this, leg_id, &started] {
    if (legs_.count(leg_id) != 0) started.start();
  }));
  return dialled;
}

// Deletes the leg later, because the leg is calling this. A connection that is gone does not come back.
void Registrar::remove_leg(int64_t leg, BindingId binding, bool unreachable) {
  post(host_, kMainStrand, alive_.bind([this, leg, binding, unreachable] {
    legs_.erase(leg);
    const Binding* known = bindings_.find(binding);
    if (unreachable && known != nullptr && known->transport != Transport::udp)
      remove(binding, "its connection is gone");
    if (on_count_) on_count_();
  }));
}

void Registrar::sweep() {
  for (const BindingId id : bindings_.expire(host_.mono_ns())) {
    log_.info("a registration has expired", {{"contact", contact_name(id)}});
    store_.remove(id);
    unpublish(id);
  }
  registrar_metrics_.set_contacts(bindings_.all().size());
  registrar_metrics_.set_screened(stack_->counts());
  sweep_timer_.after_ms(kBindingSweepMs, [this] { sweep(); });
}

void Registrar::keep_alive() {
  std::vector<lib::SocketAddress> datagrams, connected;
  for (const auto& [id, binding] : bindings_.all())
    (binding.transport == Transport::udp ? datagrams : connected).push_back(binding.source);
  stack_->keep_alive(std::move(datagrams), std::move(connected));
  keepalive_timer_.after_ms(kNatKeepaliveMs, [this] { keep_alive(); });
}

}  // namespace patchbay::sip_trunk
