// What a plugin is handed as its configuration: made from a test's JSON, checked and filled in by the
// manifest's schemas as the server does it for its file.
#pragma once

#include <patchbay/result.h>

#include <filesystem>
#include <string>
#include <string_view>

#include "plugins/manifest.h"

namespace patchbay::fake {

// Relative file names are of `folder`. Errors name the place: "plugin.greting is not a known field; did you
// mean greeting?"
Result<std::string> config_view(const core::Manifest& manifest, std::string_view plugin,
                                std::string_view tenants, const std::filesystem::path& folder);

}  // namespace patchbay::fake
