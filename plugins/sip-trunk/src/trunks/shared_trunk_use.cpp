#include "trunks/shared_trunk_use.h"

#include <algorithm>
#include <utility>

namespace patchbay::sip_trunk {

SharedTrunkUse::SharedTrunkUse(const Host& host, TrunkLimits& limits, lib::Owner owner)
    : host_(host),
      limits_(limits),
      owner_(std::move(owner)),
      log_(host),
      put_(Statement::find(host, "trunk_use_put")),
      remove_(Statement::find(host, "trunk_use_remove")),
      others_(Statement::find(host, "trunk_use_of_others")),
      timer_(host) {}

// First removes what an earlier start of the plugin in this process, and dead processes, have left.
void SharedTrunkUse::start() {
  if (!owner_.is_shared) return;
  Transaction tx(host_);
  tx.exec(remove_, {owner_.node, owner_.epoch});
  std::move(tx).commit(alive_.bind([this](const Commit&) { read(); }));
}

void SharedTrunkUse::schedule() {
  timer_.after_ms(lib::kOwnerPollMs, [this] { publish(); });
}

void SharedTrunkUse::publish() {
  std::map<TrunkKey, int64_t> now = limits_.uses();
  if (now == published_) return read();
  Transaction tx(host_);
  for (const auto& [trunk, calls] : now) {
    const auto before = published_.find(trunk);
    if (before == published_.end() || before->second != calls)
      tx.exec(put_, {owner_.node, owner_.epoch, trunk.tenant, trunk.trunk_id, calls}, 1);
  }
  std::move(tx).commit(alive_.bind([this, now = std::move(now)](const Commit& commit) mutable {
    if (commit) published_ = std::move(now);
    read();
  }));
}

void SharedTrunkUse::read() {
  query(host_, others_, {owner_.node, owner_.epoch}, alive_.bind([this](const Result<Rows>& rows) {
    if (!rows && !std::exchange(failed_, true))
      log_.warn("the calls of other servers at the trunks cannot be read", {{"why", rows.error().text}});
    if (rows) take(*rows);
    schedule();
  }));
}

// While the database is away, what was read last counts.
void SharedTrunkUse::take(const Rows& rows) {
  failed_ = false;
  std::map<TrunkKey, int64_t> others;
  int64_t servers = 1;
  for (size_t row = 0; row < rows.size(); ++row) {
    if (rows.text(row, 1).empty()) {
      servers = std::max<int64_t>(1, rows.integer(row, 2));
    } else {
      others[{std::string(rows.text(row, 0)), std::string(rows.text(row, 1))}] = rows.integer(row, 2);
    }
  }
  limits_.set_others(std::move(others), servers);
}

}  // namespace patchbay::sip_trunk
