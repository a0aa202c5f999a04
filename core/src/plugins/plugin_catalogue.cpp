#include "plugins/plugin_catalogue.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "json/builder.h"
#include "json/writer.h"

namespace patchbay::core {

PluginCatalogue::PluginCatalogue(const std::vector<const pb_entry*>& linked, const std::string& folder)
    : folder_(folder) {
  for (const pb_entry* entry : linked) {
    auto source = read_plugin_entry(*entry);
    if (source) sources_.emplace(source->manifest.id, std::move(*source));
  }
  std::error_code error;
  for (const auto& file : std::filesystem::directory_iterator(folder, error)) {
    if (file.path().extension() != ".so") continue;
    const std::string stem = file.path().stem().string();
    auto source = read_plugin_file(file.path());
    if (!source) {
      broken_.emplace(stem, source.error().text);
    } else if (source->manifest.id != stem) {
      broken_.emplace(stem, "its manifest says its id is '" + source->manifest.id + "'; rename the file to " +
                                source->manifest.id + ".so");
    } else {
      sources_.emplace(stem, std::move(*source));
    }
  }
}

Result<PluginSource> PluginCatalogue::find(const std::string& id) const {
  const auto at = sources_.find(id);
  if (at != sources_.end()) return at->second;
  const auto broken = broken_.find(id);
  if (broken != broken_.end()) return {Code::invalid, broken->second};
  return {Code::not_found,
          "there is no " + id + ".so in " + folder_ + "; install it or take `" + id + ":` out of `plugins:`"};
}

std::vector<config::PluginSchema> PluginCatalogue::schemas() const {
  static const json::Document nothing = json::Builder::empty_object();
  std::vector<config::PluginSchema> all;
  for (const auto& [id, source] : sources_) {
    // A plugin that is linked into the program has no file to run in another process.
    const bool isolated = source.manifest.isolated && !source.file.empty();
    all.push_back(
        {id, source.manifest.config != nullptr ? source.manifest.config : &nothing.root(), isolated});
  }
  // Listed although unusable: starting it reports why.
  for (const auto& [id, reason] : broken_) all.push_back({id, nullptr, false});
  return all;
}

std::string PluginCatalogue::events_json(const std::vector<std::string>& ids) const {
  json::Writer out;
  out.begin_array();
  std::set<std::string_view> written;
  for (const std::string& id : ids) {
    const auto at = sources_.find(id);
    if (at == sources_.end()) continue;
    for (const EmittedEvent& event : at->second.manifest.emits) {
      if (event.schema == nullptr || !written.insert(event.topic).second) continue;
      out.begin_object().member("topic", event.topic).member("plugin", id);
      out.member("summary", event.summary).member("subject", event.subject);
      out.key("schema").value(*event.schema).end_object();
    }
  }
  out.end_array();
  return out.take();
}

std::map<std::string, std::string> PluginCatalogue::providers() const {
  std::map<std::string, std::string> all;
  for (const auto& [id, source] : sources_) {
    for (const std::string& service : source.manifest.provides) all.emplace(service, id);
  }
  return all;
}

}  // namespace patchbay::core
