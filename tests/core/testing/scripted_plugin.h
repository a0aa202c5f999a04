// ScriptedPlugin: uses each part of the host, rightly or wrongly, as its configuration says.
#pragma once

#include <patchbay/abi/plugin.h>

namespace patchbay::scripted_plugin {

extern const pb_entry entry;

}  // namespace patchbay::scripted_plugin
