#include "metrics.h"

#include <algorithm>

namespace patchbay::sip_trunk {

namespace {

Metric refused(const Host& host, const char* reason) {
  return Metric::counter(host, "patchbay_sip_trunk_requests_refused_total",
                         "SIP requests answered with an error because of their sender or rate",
                         {{"reason", reason}});
}

Metric tcp_shut(const Host& host, const char* reason) {
  return Metric::counter(host, "patchbay_sip_trunk_tcp_shut_total",
                         "SIP connections over TCP that were shut down", {{"reason", reason}});
}

}  // namespace

Metrics::Metrics(const Host& host)
    : host_(host),
      legs_(Metric::gauge(host, "patchbay_sip_trunk_legs", "Calls in progress")),
      handles_(Metric::gauge(host, "patchbay_sip_trunk_dialogs",
                             "SIP dialogs, including ended ones that wait for a final answer")),
      unfiltered_(Metric::gauge(host, "patchbay_sip_trunk_unfiltered",
                                "1 while the kernel cannot drop SIP from unknown addresses")),
      foreign_(refused(host, "foreign")),
      rate_(refused(host, "rate")),
      tcp_peer_closed_(tcp_shut(host, "peer-closed")),
      tcp_idle_(tcp_shut(host, "idle")),
      tcp_excess_(tcp_shut(host, "excess")),
      unresolved_names_(Metric::gauge(host, "patchbay_sip_trunk_names_unresolved",
                                      "Host names of trunks whose latest lookup failed")),
      name_failures_(Metric::counter(host, "patchbay_sip_trunk_name_failures_total",
                                     "Failed lookups of trunks' host names")),
      orphans_(Metric::counter(host, "patchbay_sip_trunk_dialogs_left_behind_total",
                               "Calls left up by an earlier run and hung up by this one")),
      byes_given_up_(
          Metric::counter(host, "patchbay_sip_trunk_byes_given_up_total",
                          "Calls whose end the trunk did not confirm, so that they may still be up there")),
      failovers_(Metric::counter(host, "patchbay_sip_trunk_failovers_total",
                                 "Calls that tried more than one trunk")),
      received_(Metric::counter(host, "patchbay_sip_trunk_rtp_received_total",
                                "RTP packets received by ended calls")),
      lost_(Metric::counter(host, "patchbay_sip_trunk_rtp_lost_total",
                            "RTP packets of ended calls that did not arrive")),
      late_(Metric::counter(host, "patchbay_sip_trunk_rtp_late_total",
                            "RTP packets of ended calls that came too late to be played")),
      refused_(Metric::counter(
          host, "patchbay_sip_trunk_rtp_refused_total",
          "RTP packets to ended calls from a wrong address, malformed or of an unknown type")),
      dropped_(
          Metric::counter(host, "patchbay_sip_trunk_rtp_dropped_total",
                          "RTP and RTCP packets to ended calls that the kernel dropped: from other hosts "
                          "than the peer's, or because too many came at once")),
      jitter_(Metric::seconds(host, "patchbay_sip_trunk_rtp_jitter_seconds",
                              "Jitter of the RTP received, at the end of each answered call")) {
  for (const char* cause : {"far", "local", "no-answer", "failed", "denied"})
    ended_.emplace(cause, Metric::counter(host, "patchbay_sip_trunk_ended_total", "Calls that have ended",
                                          {{"cause", cause}}));
  for (const char* reason : {"foreign", "ambiguous", "limit", "draining", "replaces"})
    inbound_refused_.emplace(
        reason,
        Metric::counter(host, "patchbay_sip_trunk_inbound_refused_total",
                        "Inbound calls that were refused before they were offered", {{"reason", reason}}));
}

void Metrics::set_legs(size_t legs, size_t handles) const {
  legs_.set(static_cast<double>(legs));
  handles_.set(static_cast<double>(handles));
}

void Metrics::set_filtered(bool filtered) const { unfiltered_.set(filtered ? 0 : 1); }

void Metrics::set_counts(const StackCounts& all) {
  const auto gained = [&](uint64_t StackCounts::*count) {
    return static_cast<double>(all.*count - exported_.*count);
  };
  foreign_.add(gained(&StackCounts::refused_foreign));
  rate_.add(gained(&StackCounts::refused_rate));
  tcp_peer_closed_.add(gained(&StackCounts::tcp_peer_closed));
  tcp_idle_.add(gained(&StackCounts::tcp_idle));
  tcp_excess_.add(gained(&StackCounts::tcp_excess));
  exported_ = all;
}

void Metrics::set_unresolved_names(size_t names) const { unresolved_names_.set(static_cast<double>(names)); }

// The host returns an existing series again.
void Metrics::limited(const char* limit) const {
  Metric::counter(host_, "patchbay_sip_trunk_limited_total",
                  "Calls that a trunk did not take because of its limit", {{"limit", limit}})
      .add();
}

void Metrics::inbound_refused(const std::string& reason) const { inbound_refused_.at(reason).add(); }

void Metrics::ended(const telephony::Ended& ended) const {
  const auto counter = ended_.find(ended.cause);
  if (counter != ended_.end()) counter->second.add();
  if (!ended.earlier_trunks.empty()) failovers_.add();
  received_.add(static_cast<double>(ended.rtp_received));
  lost_.add(static_cast<double>(std::max<int64_t>(0, ended.rtp_lost)));
  late_.add(static_cast<double>(ended.rtp_late));
  refused_.add(static_cast<double>(ended.rtp_refused));
  dropped_.add(static_cast<double>(ended.rtp_dropped));
  if (ended.answered) jitter_.add(static_cast<double>(ended.rtp_jitter_us) / 1e6);
}

}  // namespace patchbay::sip_trunk
