// What sip-trunk counts. Main strand.
#pragma once

#include <patchbay/log.h>
#include <patchbay/services/telephony.h>

#include <map>
#include <string>

namespace patchbay::sip_trunk {

class Metrics {
 public:
  explicit Metrics(const Host& host);

  // `handles`: dialogs at sofia-sip, ended ones that wait for a last answer included.
  void set_legs(size_t legs, size_t handles) const;
  void set_guarded(bool guarded) const;
  void ended(const telephony::Ended& ended) const;

 private:
  const Metric legs_, handles_, unfiltered_, failovers_, received_, lost_, late_, refused_, jitter_;
  std::map<std::string, Metric> ended_;  // by cause
};

}  // namespace patchbay::sip_trunk
