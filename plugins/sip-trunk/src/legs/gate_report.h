// GateReport: asks all dial gates about a number that is not dialled, for an explanation.
#pragma once

#include <patchbay/function.h>
#include <patchbay/lifetime.h>
#include <patchbay/services/telephony.h>
#include <patchbay/strand.h>

#include <string>
#include <vector>

#include "legs/dial_gate_check.h"

namespace patchbay::sip_trunk {

struct GateAnswer {
  std::string gate;
  telephony::Verdict verdict;
};

// Main strand.
class GateReport {
 public:
  explicit GateReport(const Host& host) : host_(host), timeout_(host) {}

  // Calls done() once, later, on the main strand, with the answer of each gate. A gate that fails or does not
  // answer in time refuses. Call it once.
  void start(std::vector<RegisteredGate> gates, telephony::Check check,
             Function<void(std::vector<GateAnswer>)> done);

 private:
  void ask();
  void take(telephony::Verdict verdict);

  const Host& host_;
  std::vector<RegisteredGate> gates_;
  telephony::Check check_;
  Function<void(std::vector<GateAnswer>)> done_;
  std::vector<GateAnswer> answers_;
  Lease<telephony::DialGate> gate_;
  Timer timeout_;
  Lifetime alive_;
};

}  // namespace patchbay::sip_trunk
