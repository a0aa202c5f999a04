// DialogStore: stores answered dialogs, so that the next start can hang up calls that a killed process left
// up (and billed) at the carrier.
#pragma once

#include <patchbay/lifetime.h>
#include <patchbay/log.h>
#include <patchbay/store.h>

#include <string>
#include <vector>

#include "metrics.h"
#include "sip_types.h"

namespace patchbay::sip_trunk {

// Lives on the main strand; the sip thread calls the DialogLog functions.
class DialogStore final : public DialogLog {
 public:
  // `metrics` outlives this.
  DialogStore(const Host& host, const Metrics& metrics);

  // Reads the dialogs of earlier starts of this plugin that were not ended. Calls found() once per dialog, on
  // the main strand.
  void orphans(Function<void(StoredDialog)> found);

 private:
  // sip thread
  void dialog_up(const StoredDialog& dialog) override;
  void dialog_down(const StoredDialog& dialog, bool confirmed) override;
  void report_unconfirmed(const StoredDialog& dialog);

  void write(Statement statement, const Values& values);

  const Host& host_;
  const Metrics& metrics_;
  // Random id of this start of the plugin, whose process may restart while the server runs.
  const int64_t run_;
  const Log log_;
  Statement up_, down_, orphans_;
  Lifetime alive_;
};

}  // namespace patchbay::sip_trunk
