// Reads the settings of one trunk, and those that the registrar has in common with trunks. Pure; any thread.
#pragma once

#include <patchbay/json.h>
#include <patchbay/result.h>

#include "stack/sip_types.h"

namespace patchbay::sip_trunk {

// Errors name the field.
Result<TrunkAccess> read_trunk(JsonView entry);

// `names`: the list `codecs`.
Result<TrunkMedia> read_codecs(JsonView names);

// Reads srtp and srtpKeys of `section` into `access`.
void read_encryption(JsonView section, TrunkAccess& access);

}  // namespace patchbay::sip_trunk
