// What sip-trunk counts. Main strand.
#pragma once

#include <patchbay/log.h>
#include <patchbay/services/telephony.h>

#include <map>
#include <string>

#include "sip_types.h"

namespace patchbay::sip_trunk {

class Metrics {
 public:
  explicit Metrics(const Host& host);

  // `handles`: dialogs at sofia-sip, ended ones that wait for a last answer included.
  void set_legs(size_t legs, size_t handles) const;
  void set_guarded(bool guarded) const;
  // All since the stack has started.
  void set_refusals(const Refusals& all);
  void ended(const telephony::Ended& ended) const;

 private:
  const Metric legs_, handles_, unfiltered_, foreign_, rate_, failovers_, received_, lost_, late_, refused_,
      jitter_;
  std::map<std::string, Metric> ended_;  // by cause
  Refusals exported_;
};

}  // namespace patchbay::sip_trunk
