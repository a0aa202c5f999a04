// The probe's dial gate.
#pragma once

#include <doctest/doctest.h>
#include <patchbay/services/telephony.h>

#include <future>
#include <memory>

#include "support/probe_plugin.h"

namespace patchbay::test {

// Allows all numbers but one.
struct Gate {
  Gate() {
    std::promise<Result<int>> added;
    probe::run([&](const Host& host) {
      gate = std::make_unique<Provision<telephony::DialGate>>(host);
      gate->on(telephony::DialGate::check, [](const telephony::Check& check) -> Result<telephony::Verdict> {
        return telephony::Verdict{check.number != "+4930666", "not whitelisted"};
      });
      service = std::make_unique<Service<telephony::Telephony>>(host);
      service->call(
          telephony::Telephony::add_gate, {"probe", gate->handle()},
          [&](const Result<Empty>& done) { added.set_value(done ? Result<int>(0) : done.error()); });
    });
    REQUIRE(probe::wait(added.get_future()));
  }
  ~Gate() {
    std::promise<Result<int>> gone;
    probe::run([&](const Host&) {
      gate.reset();
      service.reset();
      gone.set_value(0);
    });
    CHECK(probe::wait(gone.get_future()));
  }
  std::unique_ptr<Provision<telephony::DialGate>> gate;
  std::unique_ptr<Service<telephony::Telephony>> service;
};

}  // namespace patchbay::test
