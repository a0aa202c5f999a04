// Keeps the answered dialogs on disk, so that a call does not stay up at the carrier, and billed, when this
// process is killed.
#pragma once

#include <patchbay/lifetime.h>
#include <patchbay/log.h>
#include <patchbay/store.h>

#include <string>
#include <vector>

#include "metrics.h"
#include "sip_types.h"

namespace patchbay::sip_trunk {

// Lives on the main strand; the sip thread calls it as DialogLog.
class DialogStore final : public DialogLog {
 public:
  // `metrics` outlives this.
  DialogStore(const Host& host, const Metrics& metrics);

  // The dialogs of earlier starts of this plugin whose BYE is not done. found() once per dialog, on the main
  // strand.
  void left_behind(Function<void(StoredDialog)> found);

 private:
  // sip thread
  void dialog_up(const StoredDialog& dialog) override;
  void dialog_down(const StoredDialog& dialog, bool confirmed) override;
  void report_unconfirmed(const StoredDialog& dialog);

  void write(Statement statement, const Values& values);

  const Host& host_;
  const Metrics& metrics_;
  const int64_t run_;  // names this start of the plugin: its process may start anew while the server runs on
  const Log log_;
  Statement up_, down_, left_behind_;
  Lifetime alive_;
};

}  // namespace patchbay::sip_trunk
