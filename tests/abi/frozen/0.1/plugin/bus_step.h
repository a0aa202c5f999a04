#pragma once

#include <patchbay/bus.h>
#include <patchbay/strand.h>

#include "round.h"

namespace reference {

class BusStep final : public Step {
 public:
  explicit BusStep(const Host& host) : host_(host) {}
  void run(Next next) override {
    next_ = std::move(next);
    auto heard = patchbay::Subscription::open(host_, "reference.heard",
                                              [this](const patchbay::Event& event) { check(event); });
    if (!heard) return next_(heard.error());
    heard_ = std::move(*heard);
    patchbay::publish(host_, {"reference.heard", "localhost", "room-1", "round-1", R"({"n":1})"});
  }

 private:
  void check(const patchbay::Event& event) {
    const bool whole = event.topic() == "reference.heard" && event.tenant() == "localhost" &&
                       event.subject() == "room-1" && event.correlation() == "round-1" &&
                       event.payload() == R"({"n":1})" && event.id() == 0 && event.time_ms() > 0;
    // Posted, because the subscription must not be destroyed inside its handler.
    patchbay::post(host_, patchbay::kMainStrand, [this, whole] {
      heard_ = {};
      next_(expect(whole, "an event arrives as it was published"));
    });
  }

  const Host& host_;
  patchbay::Subscription heard_;
  Next next_;
};

}  // namespace reference
