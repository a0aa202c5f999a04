// The core's JSON table, for engines that run without a host.
#pragma once

#include "abi/host_context.h"
#include "engine/json_parser.h"

namespace patchbay::lib::test {

inline JsonParser json() { return {&core::json_table_without_host(), nullptr}; }

}  // namespace patchbay::lib::test
