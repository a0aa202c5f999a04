#include "dialog_store.h"

#include <patchbay/strand.h>

#include <utility>

#include "random64.h"

namespace patchbay::sip_trunk {

DialogStore::DialogStore(const Host& host, const Metrics& metrics)
    : host_(host),
      metrics_(metrics),
      run_(static_cast<int64_t>(random64() >> 1)),
      log_(host),
      up_(Statement::find(host, "up")),
      down_(Statement::find(host, "down")),
      orphans_(Statement::find(host, "orphans")) {}

void DialogStore::orphans(Function<void(StoredDialog)> found) {
  query(host_, orphans_, {run_}, alive_.bind([this, found = std::move(found)](const Result<Rows>& rows) {
    if (!rows) return log_.error("calls of an earlier run cannot be read", {{"why", rows.error().text}});
    for (size_t row = 0; row < rows->size(); ++row) {
      StoredDialog dialog;
      size_t column = 0;
      for (std::string* field : {&dialog.call_id, &dialog.tenant, &dialog.trunk_id, &dialog.from, &dialog.to,
                                 &dialog.target, &dialog.routes, &dialog.next_hop})
        *field = rows->text(row, column++);
      dialog.sequence = static_cast<uint32_t>(rows->integer(row, column));
      metrics_.orphan_found();
      found(std::move(dialog));
    }
  }));
}

void DialogStore::dialog_up(const StoredDialog& dialog) {
  post(host_, kMainStrand, alive_.bind([this, dialog] {
    write(up_, {dialog.call_id, run_, dialog.tenant, dialog.trunk_id, dialog.from, dialog.to, dialog.target,
                dialog.routes, dialog.next_hop, dialog.sequence});
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
