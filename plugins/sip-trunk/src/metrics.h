// The metrics of sip-trunk. Main strand.
#pragma once

#include <patchbay/log.h>
#include <patchbay/services/telephony.h>

#include <map>
#include <string>

#include "stack/sip_types.h"

namespace patchbay::sip_trunk {

class Metrics {
 public:
  explicit Metrics(const Host& host);

  // `handles`: dialogs at sofia-sip, including ended ones that wait for a final answer.
  void set_legs(size_t legs, size_t handles) const;
  void set_filtered(bool filtered) const;
  // The stack's counters since its start.
  void set_counts(const StackCounts& all);
  // Names of trunks without an answer to the latest lookup.
  void set_unresolved_names(size_t names) const;
  void name_failed() const { name_failures_.add(); }
  // A dialog that an earlier run of the plugin did not end.
  void orphan_found() const { orphans_.add(); }
  // A dialog whose end the peer has not confirmed.
  void bye_given_up() const { byes_given_up_.add(); }
  void ended(const telephony::Ended& ended) const;
  // A call that was refused before it was offered: "foreign", "ambiguous", "limit", "draining",
  // "replaces".
  void inbound_refused(const std::string& reason) const;
  // A limit of a trunk ("maxCalls", "callsPerSecond") refused it a call.
  void limited(const char* limit) const;

 private:
  const Host& host_;  // borrowed
  const Metric legs_, handles_, unfiltered_, foreign_, rate_, tcp_peer_closed_, tcp_idle_, tcp_excess_,
      unresolved_names_, name_failures_, orphans_, byes_given_up_, failovers_, received_, lost_, late_,
      refused_, dropped_, jitter_;
  std::map<std::string, Metric> ended_;            // by cause
  std::map<std::string, Metric> inbound_refused_;  // by reason
  StackCounts exported_;
};

}  // namespace patchbay::sip_trunk
