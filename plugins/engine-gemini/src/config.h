// The settings of engine-gemini, from configuration that was checked against manifest.json.
#pragma once

#include <patchbay/config.h>
#include <patchbay/result.h>

#include "options.h"

namespace patchbay::engine_gemini {

// Error invalid: names the setting. Checks what the schema cannot: that `url` is a WebSocket address and that
// `caFile` can be read. Otherwise the first call would find out.
Result<Options> read_settings(const Config& config);

}  // namespace patchbay::engine_gemini
