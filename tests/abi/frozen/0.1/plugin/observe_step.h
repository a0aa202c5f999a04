#pragma once

#include <patchbay/log.h>

#include "round.h"

namespace reference {

class ObserveStep final : public Step {
 public:
  explicit ObserveStep(const Host& host) : host_(host) {}
  void run(Next next) override { next(all()); }

 private:
  Status all() const {
    const patchbay::SecretGuard secret(host_, "open-sesame");
    patchbay::Log(host_).with("round-1").warn("the reference plugin goes round",
                                              {{"password", "open-sesame"}});
    const patchbay::Metric rounds =
        patchbay::Metric::counter(host_, "patchbay_reference_rounds", "Rounds gone", {{"kind", "whole"}});
    rounds.add(2);
    const patchbay::Metric level = patchbay::Metric::gauge(host_, "patchbay_reference_level", "A level");
    level.set(0.5);
    const std::string metrics = host_.report("metrics");
    REFERENCE_EXPECT(metrics.find("patchbay_reference_rounds") != std::string::npos);
    REFERENCE_EXPECT(host_.report("no such report").empty());
    return {};
  }

  const Host& host_;
};

}  // namespace reference
