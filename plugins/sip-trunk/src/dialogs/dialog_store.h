// DialogStore: stores answered dialogs, so that the next start, or another server on the same database, can
// hang up calls that a killed process left up (and billed) at the carrier.
#pragma once

#include <patchbay/lifetime.h>
#include <patchbay/log.h>
#include <patchbay/store.h>
#include <patchbay/strand.h>

#include <string>
#include <vector>

#include "metrics.h"
#include "owner/owner.h"
#include "stack/sip_types.h"

namespace patchbay::sip_trunk {

// Lives on the main strand; the sip thread calls the DialogLog functions.
class DialogStore final : public DialogLog {
 public:
  // `metrics` outlives this. `owner`: of the dialogs stored here.
  DialogStore(const Host& host, const Metrics& metrics, lib::Owner owner);

  // Takes over the dialogs of dead processes and of earlier starts of this plugin; goes on looking for them
  // if other servers may use the database. Calls found() once per dialog, on the main strand.
  void watch_orphans(Function<void(StoredDialog)> found);

 private:
  // sip thread
  void dialog_up(const StoredDialog& dialog) override;
  void dialog_down(const StoredDialog& dialog, bool confirmed) override;
  void report_unconfirmed(const StoredDialog& dialog);

  void count_orphans();
  void take_orphans();
  void report_orphans(const Rows& rows);
  void look_again();
  void write(Statement statement, const Values& values);

  const Host& host_;
  const Metrics& metrics_;
  const lib::Owner owner_;
  const Log log_;
  const Statement up_, down_, orphan_count_, take_orphans_;
  Function<void(StoredDialog)> found_;
  Timer poll_timer_;
  bool failed_ = false;  // reported once
  Lifetime alive_;
};

}  // namespace patchbay::sip_trunk
