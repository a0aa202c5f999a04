// PluginCatalogue: the plugins that are available: those of the plugin folder and those linked into the
// program, read without running their code.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "config/config.h"
#include "plugins/plugin_file.h"

namespace patchbay::core {

class PluginCatalogue {
 public:
  // Linked entries go before files. A file that cannot be read is remembered with the reason.
  PluginCatalogue(const std::vector<const pb_entry*>& linked, const std::string& folder);

  // Error: there is no such plugin, or why it cannot be used; one sentence with the fix.
  Result<PluginSource> find(const std::string& id) const;
  // Includes plugins that cannot be used; their sections may contain anything.
  std::vector<config::PluginSchema> schemas() const;
  // What pb_observe.report says of "events": those that the plugins `ids` declare to emit and give a schema.
  // The first plugin that declares a topic describes it.
  std::string events_json(const std::vector<std::string>& ids) const;
  // Service id -> plugin that would provide it.
  std::map<std::string, std::string> providers() const;

 private:
  std::string folder_;
  std::map<std::string, PluginSource> sources_;
  std::map<std::string, std::string> broken_;  // id by file name -> reason
};

}  // namespace patchbay::core
