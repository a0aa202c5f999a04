// Settings from environment variables, which override those of the file:
//   PATCHBAY_SERVER__LOG__LEVEL=debug
//   PATCHBAY_PLUGIN_REST_API__LISTEN=127.0.0.1:8080
//   PATCHBAY_TENANT_ACME_EXAMPLE__WebPhone__Sfu__StressWindowSec=20
// Names of plugins and hosts are written with _ for - and dot. A key matches a key of the file or of the
// schema, ignoring case and with _ for -; otherwise it is taken as written. List items are counted from 0.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "config/problem.h"
#include "config/yaml_value.h"
#include "json/document.h"

namespace patchbay::core::config {

using Environment = std::map<std::string, std::string>;

// Returns the environment of this process. Call before threads start.
Environment process_environment();

// Applies every PATCHBAY_SERVER__, PATCHBAY_PLUGIN_ and PATCHBAY_TENANT_ variable to `root`. `schema` is the
// schema of the whole file, or of a part of it; it gives the spelling of keys.
void apply_environment(const Environment& environment, const json::Node& schema, Value& root,
                       std::vector<Problem>& problems);

// Returns how variables write a plugin or host: ACME_EXAMPLE for acme.example.
std::string variable_name(std::string_view name);

}  // namespace patchbay::core::config
