// TrunkExchange: sends a request to the addresses of a trunk one by one, until one gives an answer that
// counts. Main strand.
#pragma once

#include <patchbay/lifetime.h>
#include <patchbay/log.h>

#include <functional>
#include <string>

#include "stack/sip_stack.h"
#include "trunks/resolver.h"
#include "trunks/trunk_lookup.h"

namespace patchbay::sip_trunk {

class TrunkExchange {
 public:
  using Make = std::function<Result<TrunkRequest>(const TrunkAccess&, const Target&)>;
  using Counts = bool (*)(const TrunkAnswer&);

  // All outlive this.
  TrunkExchange(const Host& host, Resolver& resolver, const Log& log)
      : host_(host), lookup_(host, resolver, log) {}

  // Calls `done` once, with the answer that counts or the last one, unless this is destroyed or started again
  // before. `timeout_ms` is that of the lookup and of each address.
  void start(SipStack& stack, const TrunkAccess& trunk, int family, uint32_t timeout_ms, Make make,
             Counts counts, Function<void(const TrunkAnswer&)> done);

 private:
  void ask();
  void on_answer(const TrunkAnswer& answer);

  const Host& host_;
  TrunkLookup lookup_;
  SipStack* stack_ = nullptr;
  TrunkAccess trunk_;
  uint32_t timeout_ms_ = 0;
  Make make_;
  Counts counts_ = nullptr;
  Function<void(const TrunkAnswer&)> done_;
  std::vector<Target> targets_;
  size_t target_ = 0;  // index of the one being asked
  size_t run_ = 0;     // number of the start
  Lifetime alive_;
};

}  // namespace patchbay::sip_trunk
