// The files of a new plugin's project, sdk/templates/plugin, as the build found them.
#pragma once

#include <string_view>
#include <vector>

namespace patchbay::app {

// In both, %NAME%, %CLASS% and %VERSION% stand for what they say; in paths NAME does, too.
struct TemplateFile {
  std::string_view path;
  std::string_view text;
};

const std::vector<TemplateFile>& plugin_templates();

// The ids of the plugins that come with Patchbay.
const std::vector<std::string_view>& shipped_plugins();

}  // namespace patchbay::app
