// DialGateCheck: asks the registered dial gates (the whitelist is one) whether a call may be made.
#pragma once

#include <patchbay/function.h>
#include <patchbay/lifetime.h>
#include <patchbay/log.h>
#include <patchbay/services/telephony.h>
#include <patchbay/strand.h>

#include <string>
#include <vector>

namespace patchbay::sip_trunk {

struct RegisteredGate {
  std::string name;
  Handle instance;
};

// Main strand.
class DialGateCheck {
 public:
  // Calls done() once, on the main strand, unless cancelled: with ok when all gates allow the call, or with
  // why not. A gate that fails or does not answer in time refuses the call. The log outlives this.
  DialGateCheck(const Host& host, const Log& log, Function<void(const Status&)> done);

  // Asks the gates one by one. Call it once.
  void start(std::vector<RegisteredGate> gates, telephony::Check call);
  // done() is not called any more; an answer that comes later is ignored.
  void cancel();

 private:
  void ask(size_t index);
  void on_verdict(size_t index, const Result<telephony::Verdict>& verdict);
  void finish(const Status& allowed);

  // borrowed
  const Host& host_;
  const Log& log_;
  // owned
  const Function<void(const Status&)> done_;
  std::vector<RegisteredGate> gates_;
  telephony::Check call_;
  Lease<telephony::DialGate> gate_;
  Timer timeout_;
  // state
  bool is_over_ = false;
  Lifetime alive_;
};

}  // namespace patchbay::sip_trunk
