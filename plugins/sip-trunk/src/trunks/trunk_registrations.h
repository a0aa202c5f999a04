// TrunkRegistrations: keeps our accounts registered at the trunks that ask for it (RFC 3261 section 10). Main
// strand.
#pragma once

#include <patchbay/lifetime.h>
#include <patchbay/log.h>
#include <patchbay/strand.h>

#include <map>
#include <memory>
#include <string>

#include "read_settings.h"
#include "trunks/trunk_exchange.h"
#include "trunks/trunk_limits.h"

namespace patchbay::sip_trunk {

class TrunkRegistrations {
 public:
  // The resolver outlives this.
  TrunkRegistrations(const Host& host, Resolver& resolver);

  // The stack outlives this, or stop() is called before.
  void set_stack(SipStack& stack) { stack_ = &stack; }
  // Replaces the trunks: registers at new ones, and ends the registrations of those that are gone.
  void configure(const Settings& settings);
  // Ends all registrations; calls done() when they are answered, or after kMaxRegisterEndMs.
  void stop(Function<void()> done);

  enum class State { none, registering, registered, failed };
  struct View {
    State state = State::none;  // none: the trunk needs none
    std::string why{};          // it failed
    int64_t expires_ms = 0;     // wall clock; while it is registered
    int64_t next_try_ms = 0;    // wall clock; while it has failed
  };
  View view(const TrunkKey& trunk) const;

 private:
  struct Entry {
    TrunkAccess trunk;
    State state = State::registering;
    std::string why;
    std::string call_id;
    uint32_t sequence = 1;
    int64_t wanted_sec = 0;
    uint32_t failures = 0;  // since the latest success
    int64_t due_ms = 0;     // monotonic; of the next REGISTER
    int64_t until_ms = 0;   // monotonic; of the registration
    bool is_pending = false;
    std::unique_ptr<TrunkExchange> exchange;
  };

  int64_t now_ms() const { return host_.mono_ns() / 1'000'000; }
  void look();
  void send(const TrunkKey& key, Entry& entry);
  void end(Entry& entry);
  void on_end(int64_t id);
  void on_answer(const TrunkKey& key, const TrunkAnswer& answer);
  void on_failure(const TrunkKey& key, Entry& entry, const TrunkAnswer& answer);
  void show(const TrunkKey& key, State state) const;

  const Host& host_;
  Resolver& resolver_;
  const Log log_;
  SipStack* stack_ = nullptr;
  int family_ = AF_INET;
  uint32_t timeout_ms_ = 0;
  std::map<TrunkKey, Entry> entries_;
  std::map<int64_t, std::unique_ptr<TrunkExchange>> ending_;  // of registrations that are not wanted any more
  int64_t last_ending_ = 0;
  Function<void()> on_ended_;
  Timer timer_;
  Lifetime alive_;
};

}  // namespace patchbay::sip_trunk
