#include "dial_gate.h"

namespace patchbay::whitelist {

WhitelistGate::WhitelistGate(const Host& host, EntryStore& entries)
    : entries_(entries),
      log_(host),
      refused_(Metric::counter(host, "patchbay_whitelist_dials_refused_total",
                               "Dials to numbers that are not listed, or that could not be looked up")),
      registration_(host, "whitelist",
                    [this](const telephony::Check& check, Reply<telephony::Verdict> reply) {
                      this->check(check, std::move(reply));
                    }) {}

void WhitelistGate::check(const telephony::Check& check, Reply<telephony::Verdict> reply) {
  entries_.find(
      check.tenant, check.number,
      [log = log_.with(check.correlation), call = check.call_id, is_counted = !check.dry_run,
       refused = refused_, reply = std::move(reply)](const Result<std::optional<Entry>>& entry) mutable {
        if (entry && *entry) {
          const std::string& comment = (*entry)->comment;
          return reply(telephony::Verdict{
              true, "", "the entry " + (*entry)->number + (comment.empty() ? "" : " (" + comment + ")")});
        }
        if (is_counted) refused.add();
        if (entry)
          return reply(telephony::Verdict{false, "not whitelisted", "no entry; POST /calls adds one itself"});
        log.error("the dial is refused because the whitelist could not be read",
                  {{"call", call}, {"why", entry.error().text}});
        reply(telephony::Verdict{false, "the whitelist could not be read"});
      });
}

}  // namespace patchbay::whitelist
