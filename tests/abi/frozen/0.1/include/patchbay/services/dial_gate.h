// Gate: a dial gate, known to patchbay.telephony whenever that is there. Create and destroy it on the main
// strand.
//
//   telephony::Gate gate_{host(), "office-hours", [this](const telephony::Check& check) ->
//   Result<telephony::Verdict> {
//     return telephony::Verdict{is_open(), "the office is closed"};
//   }};
#pragma once

#include <string>

#include "../log.h"
#include "telephony.h"

namespace patchbay::telephony {

class Gate {
 public:
  // handler(Check, Reply<Verdict>) answers when it likes; handler(Check) -> Result<Verdict> at once. It comes
  // on the main strand, and not after this was destroyed.
  template <class F>
  Gate(const Host& host, std::string name, F handler)
      : host_(&host), name_(std::move(name)), gate_(host), telephony_(host) {
    gate_.on(DialGate::check, std::move(handler));
    telephony_.on_change([this](bool up) {
      if (up) announce();
    });
  }

 private:
  void announce() {
    telephony_.call(Telephony::add_gate, {name_, gate_.handle()},
                    [log = Log(*host_), name = name_](const Result<Empty>& done) {
                      if (!done)
                        log.error("a dial gate was refused", {{"gate", name}, {"why", done.error().text}});
                    });
  }

  const Host* host_;
  std::string name_;
  Provision<DialGate> gate_;
  Service<Telephony> telephony_;
};

}  // namespace patchbay::telephony
