// Keeps the answered dialogs on disk, so that a call does not stay up at the carrier, and billed, when this
// process is killed.
#pragma once

#include <patchbay/lifetime.h>
#include <patchbay/log.h>
#include <patchbay/store.h>

#include <string>
#include <vector>

#include "sip_types.h"

namespace patchbay::sip_trunk {

// Lives on the main strand; the sip thread calls it as DialogLog.
class DialogStore final : public DialogLog {
 public:
  explicit DialogStore(const Host& host);

  // The dialogs of earlier runs that nobody has ended. found() once per dialog, on the main strand.
  void left_behind(Function<void(StoredDialog)> found);

 private:
  // sip thread
  void dialog_up(const StoredDialog& dialog) override;
  void dialog_down(const std::string& call_id) override;

  void write(Statement statement, const Values& values);

  const Host& host_;
  const Log log_;
  Statement up_, down_, left_behind_;
  Lifetime alive_;
};

}  // namespace patchbay::sip_trunk
