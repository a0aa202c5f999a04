// The metrics of the registrar. Main strand.
#pragma once

#include <patchbay/log.h>

#include <cstddef>

#include "stack/sip_types.h"

namespace patchbay::sip_trunk {

class RegistrarMetrics {
 public:
  explicit RegistrarMetrics(const Host& host);

  void set_contacts(size_t contacts) const { contacts_.set(static_cast<double>(contacts)); }
  // A REGISTER was answered: "ok", "challenged", "refused", "throttled", "invalid", "failed", "draining".
  void registered(const char* outcome) const;
  // The stack's counters since its start, of what was answered without a transaction.
  void set_screened(const StackCounts& all);

 private:
  const Host& host_;
  const Metric contacts_, challenged_, dropped_;
  StackCounts exported_;
};

}  // namespace patchbay::sip_trunk
