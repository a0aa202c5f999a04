// RequestAdmission: decides which requests reach a user agent: those of a dialog only from its peer's
// addresses, all of them up to a rate, REGISTER as the registrar's screen says. sip thread, but for the
// counters.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <utility>

#include "dialogs/dialog.h"
#include "rate/rate_limiter.h"
#include "registrar/register_exchange.h"
#include "registrar/register_screen.h"
#include "stack/request_screen.h"
#include "stack/sip_limits.h"
#include "stack/sip_peer_filter.h"
#include "stack/sip_stack.h"

namespace patchbay::sip_trunk {

class RequestAdmission final : public RequestGuard {
 public:
  using Dialogs = std::map<DialogId, std::unique_ptr<Dialog>>;
  using Registers = std::map<RegisterId, std::unique_ptr<RegisterExchange>>;

  // `filter` knows the trunks' addresses. `registers` are those that wait for the registrar's decision.
  // `screen`: null unless the user agent is a registrar. All outlive this. `on_orphan` gets the dialog of a
  // call that another process of this server dialled, and that a trunk reports as answered.
  RequestAdmission(const SipStack::Options& options, const std::atomic<uint16_t>& port,
                   const SipPeerFilter& filter, const Dialogs& dialogs, const Registers& registers,
                   RegisterScreen* screen, std::function<void(StoredDialog)> on_orphan)
      : options_(options),
        port_(port),
        filter_(filter),
        dialogs_(dialogs),
        registers_(registers),
        screen_(screen),
        on_orphan_(std::move(on_orphan)) {}

  Admission admit(const sip_t& request, const lib::SocketAddress& from, bool is_datagram) override;
  bool is_stray(const sip_t& answer) const override;
  void on_answer(const sip_t& answer, const lib::SocketAddress& from) override;

  // Requests refused because they came from another address than the dialog's peer, or beyond the rate.
  uint64_t foreign() const noexcept { return foreign_; }
  uint64_t refused_by_rate() const noexcept { return refused_by_rate_; }

 private:
  bool is_within_limits(const lib::SocketAddress& trunk);
  // Returns whether it is a 2xx to an INVITE that another process sent from our port.
  bool is_orphan(const sip_t& answer) const;

  // borrowed
  const SipStack::Options& options_;
  const std::atomic<uint16_t>& port_;  // that the stack listens on
  const SipPeerFilter& filter_;
  const Dialogs& dialogs_;
  const Registers& registers_;
  RegisterScreen* const screen_;
  // owned
  const std::function<void(StoredDialog)> on_orphan_;
  // state
  lib::RateLimiter trunk_limits_{{kMaxOutOfDialogPerSecond, kMaxOutOfDialogPerSecond}};  // by address
  PerSecondLimit trunk_limit_{kMaxOfTrunksPerSecond};                                    // of all
  PerSecondLimit stranger_limit_{kMaxOutOfDialogPerSecond};
  PerSecondLimit orphan_limit_{kMaxOrphansPerSecond};
  std::atomic<uint64_t> foreign_{0}, refused_by_rate_{0};
};

}  // namespace patchbay::sip_trunk
