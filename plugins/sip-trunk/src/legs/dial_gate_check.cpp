#include "legs/dial_gate_check.h"

#include <utility>

#include "stack/sip_limits.h"

namespace patchbay::sip_trunk {

DialGateCheck::DialGateCheck(const Host& host, const Log& log, Function<void(const Status&)> done)
    : host_(host), log_(log), done_(std::move(done)), timeout_(host) {}

void DialGateCheck::start(std::vector<RegisteredGate> gates, telephony::Check call) {
  gates_ = std::move(gates);
  call_ = std::move(call);
  ask(0);
}

void DialGateCheck::ask(size_t index) {
  if (is_over_) return;
  if (index == gates_.size()) return finish({});
  timeout_.after_ms(kMaxGateAnswerMs, [this, index] {
    log_.warn("a gate does not answer", {{"gate", gates_[index].name}});
    finish({Code::denied, "the gate did not answer in time"});
  });
  gate_ = Lease<telephony::DialGate>::open(host_, gates_[index].instance);
  gate_.call(telephony::DialGate::check, call_,
             [this, index](const Result<telephony::Verdict>& verdict) { on_verdict(index, verdict); });
}

void DialGateCheck::on_verdict(size_t index, const Result<telephony::Verdict>& verdict) {
  timeout_.cancel();
  // Asks the next gate in a later task, because asking it replaces the lease that called this.
  if (verdict && verdict->allowed)
    return post(host_, kMainStrand, alive_.bind([this, index] { ask(index + 1); }));
  const std::string why = verdict ? verdict->reason : "the gate did not answer";
  log_.warn("a gate refused the call", {{"gate", gates_[index].name}, {"why", why}});
  finish({Code::denied, why});
}

void DialGateCheck::cancel() {
  is_over_ = true;
  timeout_.cancel();
  gate_ = Lease<telephony::DialGate>();
}

void DialGateCheck::finish(const Status& allowed) {
  if (std::exchange(is_over_, true)) return;
  timeout_.cancel();
  done_(allowed);
}

}  // namespace patchbay::sip_trunk
