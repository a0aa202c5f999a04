#include "dialogs/dialog_store.h"

#include <utility>

namespace patchbay::sip_trunk {

DialogStore::DialogStore(const Host& host, const Metrics& metrics, lib::Owner owner)
    : host_(host),
      metrics_(metrics),
      owner_(std::move(owner)),
      log_(host),
      up_(Statement::find(host, "up")),
      down_(Statement::find(host, "down")),
      orphan_count_(Statement::find(host, "orphan_count")),
      take_orphans_(Statement::find(host, "take_orphans")),
      poll_timer_(host) {}

void DialogStore::watch_orphans(Function<void(StoredDialog)> found) {
  found_ = std::move(found);
  count_orphans();
}

void DialogStore::count_orphans() {
  query(host_, orphan_count_, {owner_.run, owner_.node, owner_.epoch},
        alive_.bind([this](const Result<Rows>& rows) {
          if (!rows && !std::exchange(failed_, true))
            log_.error("calls of dead processes cannot be read", {{"why", rows.error().text}});
          if (!rows) return look_again();
          failed_ = false;
          if (rows->integer(0, 0) > 0) return take_orphans();
          if (owner_.is_shared) look_again();
        }));
}

void DialogStore::look_again() {
  poll_timer_.after_ms(lib::kOwnerPollMs, [this] { count_orphans(); });
}

void DialogStore::take_orphans() {
  Transaction tx(host_);
  tx.exec(take_orphans_, {owner_.run, owner_.node, owner_.epoch});
  std::move(tx).commit(alive_.bind([this](const Commit& commit) {
    if (!commit) log_.error("calls of dead processes cannot be ended", {{"why", commit.error().text}});
    if (commit) report_orphans(commit.result(0));
    if (!commit || owner_.is_shared) look_again();
  }));
}

void DialogStore::report_orphans(const Rows& rows) {
  for (size_t row = 0; row < rows.size(); ++row) {
    StoredDialog dialog;
    size_t column = 0;
    for (std::string* field : {&dialog.call_id, &dialog.tenant, &dialog.trunk_id, &dialog.from, &dialog.to,
                               &dialog.target, &dialog.routes, &dialog.next_hop})
      *field = rows.text(row, column++);
    dialog.sequence = static_cast<uint32_t>(rows.integer(row, column));
    metrics_.orphan_found();
    found_(std::move(dialog));
  }
}

void DialogStore::dialog_up(const StoredDialog& dialog) {
  post(host_, kMainStrand, alive_.bind([this, dialog] {
    write(up_, {dialog.call_id, owner_.run, dialog.tenant, dialog.trunk_id, dialog.from, dialog.to,
                dialog.target, dialog.routes, dialog.next_hop, dialog.sequence, owner_.node, owner_.epoch});
  }));
}

void DialogStore::dialog_down(const StoredDialog& dialog, bool confirmed) {
  post(host_, kMainStrand, alive_.bind([this, dialog, confirmed] {
    write(down_, {dialog.call_id, dialog.from});
    if (!confirmed) report_unconfirmed(dialog);
  }));
}

void DialogStore::report_unconfirmed(const StoredDialog& dialog) {
  metrics_.bye_given_up();
  log_.warn("the trunk did not confirm the end of a call, which may still be up there",
            {{"dialog", dialog.call_id}, {"tenant", dialog.tenant}, {"trunk", dialog.trunk_id}});
}

void DialogStore::write(Statement statement, const Values& values) {
  Transaction tx(host_);
  tx.exec(statement, values);
  std::move(tx).commit(alive_.bind([this](const Commit& commit) {
    if (!commit) log_.error("a call's dialog was not stored", {{"why", commit.error().text}});
  }));
}

}  // namespace patchbay::sip_trunk
