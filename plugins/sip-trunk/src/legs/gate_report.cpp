#include "legs/gate_report.h"

#include <utility>

#include "stack/sip_limits.h"

namespace patchbay::sip_trunk {

void GateReport::start(std::vector<RegisteredGate> gates, telephony::Check check,
                       Function<void(std::vector<GateAnswer>)> done) {
  gates_ = std::move(gates);
  check_ = std::move(check);
  check_.dry_run = true;
  done_ = std::move(done);
  post(host_, kMainStrand, alive_.bind([this] { ask(); }));
}

void GateReport::ask() {
  if (answers_.size() == gates_.size()) {
    const auto done = std::move(done_);  // done() may destroy this
    return done(std::move(answers_));
  }
  const RegisteredGate& next = gates_[answers_.size()];
  timeout_.after_ms(kMaxGateAnswerMs, [this] { take({false, "the gate did not answer in time", {}}); });
  gate_ = Lease<telephony::DialGate>::open(host_, next.instance);
  gate_.call(telephony::DialGate::check, check_,
             alive_.bind([this, asked = answers_.size()](const Result<telephony::Verdict>& verdict) {
               if (asked != answers_.size()) return;  // its time was over
               take(verdict ? *verdict : telephony::Verdict{false, "the gate did not answer", {}});
             }));
}

// Asks the next gate in a later task, because asking it replaces the lease that called this.
void GateReport::take(telephony::Verdict verdict) {
  timeout_.cancel();
  answers_.push_back({gates_[answers_.size()].name, std::move(verdict)});
  post(host_, kMainStrand, alive_.bind([this] { ask(); }));
}

}  // namespace patchbay::sip_trunk
