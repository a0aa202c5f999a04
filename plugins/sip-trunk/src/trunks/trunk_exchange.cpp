#include "trunks/trunk_exchange.h"

#include <patchbay/strand.h>

#include <utility>

namespace patchbay::sip_trunk {

void TrunkExchange::start(SipStack& stack, const TrunkAccess& trunk, int family, uint32_t timeout_ms,
                          Make make, Counts counts, Function<void(const TrunkAnswer&)> done) {
  ++run_;
  stack_ = &stack;
  trunk_ = trunk;
  timeout_ms_ = timeout_ms;
  make_ = std::move(make);
  counts_ = counts;
  done_ = std::move(done);
  target_ = 0;
  targets_.clear();
  lookup_.start(trunk, family, timeout_ms, [this](const Result<TrunkTargets>& found) {
    if (!found) return on_answer({0, found.error().text, 0, -1, -1});
    trunk_.transport = found->transport;
    targets_ = found->targets;
    ask();
  });
}

void TrunkExchange::ask() {
  auto request = make_(trunk_, targets_[target_]);
  if (!request) return on_answer({0, request.error().text, 0, -1, -1});
  request->timeout_ms = timeout_ms_;
  auto take = alive_.bind([this, run = run_](const TrunkAnswer& answer) {
    if (run == run_) on_answer(answer);  // ignores answers to requests of an earlier start()
  });
  const Status sent = stack_->request(*std::move(request), [&host = host_, take](const TrunkAnswer& answer) {
    post(host, kMainStrand, [take, answer]() mutable { take(answer); });
  });
  if (!sent) on_answer({0, sent.error().text, 0, -1, -1});
}

void TrunkExchange::on_answer(const TrunkAnswer& answer) {
  if (!counts_(answer) && ++target_ < targets_.size()) return ask();
  const auto done = std::exchange(done_, {});
  if (done) done(answer);
}

}  // namespace patchbay::sip_trunk
