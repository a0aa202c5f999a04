#include "metrics.h"

#include <algorithm>

namespace patchbay::sip_trunk {

Metrics::Metrics(const Host& host)
    : legs_(Metric::gauge(host, "patchbay_sip_trunk_legs", "Calls out that run")),
      handles_(Metric::gauge(host, "patchbay_sip_trunk_dialogs",
                             "SIP dialogs, ended ones that wait for a last answer included")),
      unfiltered_(Metric::gauge(host, "patchbay_sip_trunk_unfiltered",
                                "1 while the kernel cannot drop SIP from unknown addresses")),
      foreign_(Metric::counter(host, "patchbay_sip_trunk_requests_refused_total",
                               "SIP requests answered with an error for where, or how often, they came",
                               {{"reason", "foreign"}})),
      rate_(Metric::counter(host, "patchbay_sip_trunk_requests_refused_total",
                            "SIP requests answered with an error for where, or how often, they came",
                            {{"reason", "rate"}})),
      failovers_(Metric::counter(host, "patchbay_sip_trunk_failovers_total",
                                 "Calls that went beyond their first trunk")),
      received_(Metric::counter(host, "patchbay_sip_trunk_rtp_received_total", "RTP packets of ended calls")),
      lost_(Metric::counter(host, "patchbay_sip_trunk_rtp_lost_total",
                            "RTP packets of ended calls that did not arrive")),
      late_(Metric::counter(host, "patchbay_sip_trunk_rtp_late_total",
                            "RTP packets of ended calls that came too late to be played")),
      refused_(
          Metric::counter(host, "patchbay_sip_trunk_rtp_refused_total",
                          "RTP packets to ended calls from a wrong source, malformed or of an unknown type")),
      jitter_(Metric::seconds(host, "patchbay_sip_trunk_rtp_jitter_seconds",
                              "Jitter of the RTP received, at the end of each answered call")) {
  for (const char* cause : {"far", "local", "no-answer", "failed", "denied"})
    ended_.emplace(cause, Metric::counter(host, "patchbay_sip_trunk_ended_total", "Calls out that have ended",
                                          {{"cause", cause}}));
}

void Metrics::set_legs(size_t legs, size_t handles) const {
  legs_.set(static_cast<double>(legs));
  handles_.set(static_cast<double>(handles));
}

void Metrics::set_guarded(bool guarded) const { unfiltered_.set(guarded ? 0 : 1); }

void Metrics::set_refusals(const Refusals& all) {
  foreign_.add(static_cast<double>(all.foreign - exported_.foreign));
  rate_.add(static_cast<double>(all.rate - exported_.rate));
  exported_ = all;
}

void Metrics::ended(const telephony::Ended& ended) const {
  const auto counter = ended_.find(ended.cause);
  if (counter != ended_.end()) counter->second.add();
  if (!ended.earlier_trunks.empty()) failovers_.add();
  received_.add(static_cast<double>(ended.rtp_received));
  lost_.add(static_cast<double>(std::max<int64_t>(0, ended.rtp_lost)));
  late_.add(static_cast<double>(ended.rtp_late));
  refused_.add(static_cast<double>(ended.rtp_refused));
  if (ended.answered) jitter_.add(static_cast<double>(ended.rtp_jitter_us) / 1e6);
}

}  // namespace patchbay::sip_trunk
