// The settings of engine-local, from configuration that was checked against manifest.json.
#pragma once

#include <patchbay/config.h>

#include "local_engine.h"

namespace patchbay::engine_local {

Options read_settings(const Config& config);

}  // namespace patchbay::engine_local
