#include "revision/revision_poll.h"

#include <algorithm>
#include <utility>

namespace patchbay::lib {
namespace {

Metric changes(const Host& host, const char* began_by) {
  std::string plugin(host.plugin_id());
  std::replace(plugin.begin(), plugin.end(), '-', '_');
  return Metric::counter(host, "patchbay_" + plugin + "_revisions_read_total",
                         "Changed revisions that were read, by what began the read", {{"after", began_by}});
}

}  // namespace

RevisionPoll::RevisionPoll(const Host& host)
    : host_(&host),
      log_(host),
      revisions_(Statement::find(host, "revisions")),
      raise_(Statement::find(host, "revision_raise")),
      changes_after_hints_(changes(host, "hint")),
      changes_after_intervals_(changes(host, "interval")),
      poll_(host, kRevisionPollMs, [this] { read(); }) {}

void RevisionPoll::watch(const std::string& domain, Function<void()> changed) {
  watches_[domain].changed = std::move(changed);
}

void RevisionPoll::raise(Transaction& tx, const char* domain) const { tx.exec(raise_, {domain}, 1); }

void RevisionPoll::read() {
  query(*host_, revisions_, {}, alive_.bind([this](const Result<Rows>& rows) {
    if (!rows && !failed_) log_.warn("changes of other processes are not seen", {{"why", rows.error().text}});
    failed_ = !rows;
    if (stopped_) return;
    if (rows) take(*rows);
    poll_.looked();
  }));
}

void RevisionPoll::take(const Rows& rows) {
  for (size_t row = 0; row < rows.size(); ++row) {
    const auto watch = watches_.find(rows.text(row, 0));
    if (watch == watches_.end() || watch->second.revision == rows.integer(row, 1)) continue;
    if (std::exchange(watch->second.revision, rows.integer(row, 1)) != kUnread)
      (poll_.was_hinted() ? changes_after_hints_ : changes_after_intervals_).add();
    watch->second.changed();
  }
}

}  // namespace patchbay::lib
