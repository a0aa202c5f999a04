// Which settings a reload may change. Pure; any thread.
#pragma once

#include <patchbay/result.h>

#include "read_settings.h"

namespace patchbay::sip_trunk {

// Returns why a change of the settings needs a restart; ok: it does not. `has_tcp`, `has_tls`:
// whether the stack listens on TCP and TLS.
Status check_change(const Settings& now, const Settings& next, bool has_tcp, bool has_tls);

}  // namespace patchbay::sip_trunk
