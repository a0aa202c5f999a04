// The files of a new plugin's project (sdk/templates/plugin), embedded at build time.
#pragma once

#include <string_view>
#include <vector>

namespace patchbay::app {

// %NAME%, %CLASS% and %VERSION% in the text, and NAME in the path, are placeholders.
struct TemplateFile {
  std::string_view path;
  std::string_view text;
};

const std::vector<TemplateFile>& plugin_templates();

// The ids of the plugins that come with Patchbay.
const std::vector<std::string_view>& shipped_plugins();

}  // namespace patchbay::app
