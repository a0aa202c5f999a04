// PluginSource: a plugin's shared object, first read, then loaded. Never unloaded (RTLD_NODELETE): threads,
// thread-local destructors and callbacks of a plugin may outlive its last use.
#pragma once

#include <patchbay/abi/plugin.h>

#include <filesystem>
#include <memory>
#include <string>

#include "patchbay/result.h"
#include "plugins/manifest.h"

namespace patchbay::core {

// What is known of a plugin before any of its code runs.
struct PluginSource {
  Manifest manifest;
  std::string store_sql;
  std::filesystem::path file;       // empty: linked statically
  const pb_entry* entry = nullptr;  // null until loaded
  size_t manifest_hash = 0;         // of the text in the file
};

class ElfFile;

// Reads manifest and SQL from the file's sections. Errors are one sentence with the fix.
Result<PluginSource> read_plugin_file(const std::filesystem::path& path);
Result<PluginSource> read_plugin_sections(const ElfFile& file);
// The same for an entry linked into the program.
Result<PluginSource> read_plugin_entry(const pb_entry& entry);

// Loads the file and returns its entry, unchecked.
Result<const pb_entry*> load_entry(const std::filesystem::path& path);

// Loads the file, whose owner must be trusted, and checks the entry against what was read; sets source.entry.
Status load_plugin(PluginSource& source);

}  // namespace patchbay::core
