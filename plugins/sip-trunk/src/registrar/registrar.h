// Registrar: the telephones of users: takes their registrations, and rings them. Has a SIP stack apart from
// that of the trunks, because any address may send to it. Main strand.
#pragma once

#include <patchbay/lifetime.h>
#include <patchbay/log.h>
#include <patchbay/service.h>
#include <patchbay/services/telephony.h>
#include <patchbay/strand.h>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "ladder/ladders.h"
#include "metrics.h"
#include "read_settings.h"
#include "registrar/bindings.h"
#include "registrar/contact_leg.h"
#include "registrar/contact_store.h"
#include "registrar/digest_check.h"
#include "registrar/registrar_metrics.h"
#include "stack/sip_stack.h"
#include "tls/certificates.h"
#include "users/contact_directory.h"

namespace patchbay::sip_trunk {

class Registrar {
 public:
  // All outlive this. `log`: of dialogs. `node`: this server.
  Registrar(const Host& host, const Settings& settings, ContactDirectory& directory, Ladders& ladders,
            const Metrics& metrics, DialogLog& log, std::string node);

  // Listens, as the settings say. `certificates`: null without TLS.
  Status start(std::shared_ptr<const TlsCertificates> certificates);
  // Adds the contacts of an earlier start. Call it after start(); REGISTER is refused until done().
  void load(Function<void()> done);
  // The settings have changed.
  void configure();
  void set_certificates(std::shared_ptr<const TlsCertificates> certificates);
  // Refuses further registrations and calls.
  void drain() { draining_ = true; }
  // Ends all calls; their legs end later. Any thread but the SIP thread, as SipStack::stop().
  void stop_stack();
  void hang_up_stored(StoredDialog dialog);

  // "" while it does not listen: "127.0.0.1:5070".
  std::string address() const;
  std::string tls_address() const;
  size_t leg_count() const noexcept { return legs_.size(); }
  size_t live_handles() const noexcept { return stack_ ? stack_->live_handles() : 0; }
  // Calls f() each time leg_count() has changed.
  void on_count(Function<void()> f) { on_count_ = std::move(f); }

 private:
  // A registered contact, as the directory knows it.
  struct Registered {
    std::unique_ptr<Provision<telephony::Contact>> service;
  };

  void on_register(RegisterId id, const RegisterRequest& request);
  void on_checked(RegisterId id, const RegisterRequest& request, const DigestCheck::Answer& answer);
  void register_contacts(RegisterId id, const RegisterRequest& request, const Bindings::Sender& sender);
  RegisterReply challenge(const RegisterRequest& request, bool is_stale) const;
  std::string contact_header(const Bindings::Sender& sender) const;
  void refuse(RegisterId id, int status, const char* outcome, int64_t retry_sec = 0);
  void restore(ContactStore::Stored stored);
  int64_t expires_ms(const Binding& binding) const;
  void publish(BindingId id);
  void unpublish(BindingId id);
  void remove(BindingId id, const char* why);
  void ring(BindingId id, const telephony::RingContact& request, Reply<telephony::Dialled> reply);
  Result<telephony::Dialled> begin_call(BindingId id, const telephony::RingContact& request, Handle caller);
  void remove_leg(int64_t leg, BindingId binding, bool unreachable);
  void sweep();
  void keep_alive();

  // borrowed
  const Host& host_;
  const Settings& settings_;
  ContactDirectory& directory_;
  Ladders& ladders_;
  const Metrics& metrics_;
  DialogLog& dialog_log_;
  // owned
  const Log log_;
  RegistrarMetrics registrar_metrics_;
  std::shared_ptr<const Challenges> challenges_;
  std::unique_ptr<DigestCheck> check_;
  std::unique_ptr<SipStack> stack_;
  Bindings bindings_;
  ContactStore store_;
  std::map<BindingId, Registered> registered_;
  std::map<int64_t, std::unique_ptr<ContactLeg>> legs_;
  Function<void()> on_count_;
  Timer sweep_timer_;
  Timer keepalive_timer_;
  // state
  int64_t last_leg_ = 0;
  bool is_loaded_ = false;
  bool draining_ = false;
  Lifetime alive_;
};

}  // namespace patchbay::sip_trunk
