// TrunkHealth: which trunks are up. Learns it from calls and by OPTIONS: at intervals if the configuration
// says so, and of a trunk that is down until it answers, so that no further call waits for it. Main strand.
#pragma once

#include <patchbay/lifetime.h>
#include <patchbay/log.h>
#include <patchbay/strand.h>

#include <map>
#include <memory>
#include <string>

#include "read_settings.h"
#include "stack/sip_stack.h"
#include "trunks/resolver.h"
#include "trunks/trunk_exchange.h"
#include "trunks/trunk_limits.h"
#include "trunks/trunk_state.h"

namespace patchbay::sip_trunk {

class TrunkHealth {
 public:
  // The resolver outlives this.
  TrunkHealth(const Host& host, Resolver& resolver);

  // The stack outlives this, or stop() is called before.
  void set_stack(SipStack& stack) { stack_ = &stack; }
  // Replaces the trunks; those whose access is the same keep their state.
  void configure(const Settings& settings);
  void stop();

  // Why a call must pass the trunk over now: "it has not answered since ..."; empty: it may be tried.
  std::string why_down(const TrunkKey& trunk) const;
  // What a call has seen of a trunk.
  void call_answered(const TrunkKey& trunk);
  void call_failed(const TrunkKey& trunk, const std::string& why);

  struct View {
    TrunkState::Value value = TrunkState::Value::unknown;
    std::string why{};
    int64_t since_ms = 0;  // when the value changed, wall clock; 0: never
  };
  View view(const TrunkKey& trunk) const;

 private:
  struct Entry {
    TrunkAccess trunk;
    TrunkState state;
    int64_t since_ms = 0;
    bool is_probing = false;
    std::unique_ptr<TrunkExchange> exchange;
  };

  int64_t now_ms() const { return host_.mono_ns() / 1'000'000; }
  void look();
  void probe(const TrunkKey& key, Entry& entry);
  void on_answer(const TrunkKey& key, const TrunkAnswer& answer);
  template <class Change>
  void change(const TrunkKey& key, Entry& entry, Change change);
  void show(const TrunkKey& key, const Entry& entry) const;

  const Host& host_;
  Resolver& resolver_;
  const Log log_;
  SipStack* stack_ = nullptr;
  int family_ = AF_INET;
  uint32_t timeout_ms_ = 0;
  std::map<TrunkKey, Entry> entries_;
  Timer timer_;
  Lifetime alive_;
};

}  // namespace patchbay::sip_trunk
