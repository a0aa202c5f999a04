// The core's JSON table, for engines that run without a host.
#pragma once

#include "abi/host_context.h"
#include "json_source.h"

namespace patchbay::ai_voice::test {

inline JsonSource json() { return {&core::json_table(), nullptr}; }

}  // namespace patchbay::ai_voice::test
