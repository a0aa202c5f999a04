// Makes the configuration that a plugin gets from a test's JSON: checks it and fills in defaults by the
// manifest's schemas, as the server does for its file.
#pragma once

#include <patchbay/result.h>

#include <filesystem>
#include <string>
#include <string_view>

#include "plugins/manifest.h"

namespace patchbay::fake {

// Relative file names are relative to `folder`. Errors name the place: "plugin.greting is not a known field;
// did you mean greeting?"
Result<std::string> config_view(const core::Manifest& manifest, std::string_view plugin,
                                std::string_view tenants, const std::filesystem::path& folder);

}  // namespace patchbay::fake
