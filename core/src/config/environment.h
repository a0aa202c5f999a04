// Settings from the environment, laid over those of the file:
//   PATCHBAY_SERVER__LOG__LEVEL=debug
//   PATCHBAY_PLUGIN_REST_API__LISTEN=127.0.0.1:8080
//   PATCHBAY_TENANT_ACME_EXAMPLE__WebPhone__Sfu__StressWindowSec=20
// Plugin and host names are written with _ for - and dot. A key finds the one that is there, or that the
// schema knows, without regard to case and with _ for -; else it is taken as written. List items are counted
// from 0.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "config/problem.h"
#include "config/value.h"
#include "json/document.h"

namespace patchbay::core::config {

using Environment = std::map<std::string, std::string>;

// The environment of this process. Call before threads start.
Environment process_environment();

// Lays every PATCHBAY_SERVER__, PATCHBAY_PLUGIN_ and PATCHBAY_TENANT_ variable over `root`. `schema` is that
// of the whole file; one it does not know simply does not help with the spelling of keys.
void apply_environment(const Environment& environment, const json::Node& schema, Value& root,
                       std::vector<Problem>& problems);

// ACME_EXAMPLE for acme.example: what stands for a plugin or host in a variable's name.
std::string variable_name(std::string_view name);

}  // namespace patchbay::core::config
