// Inspects a plugin's file without running it: what it needs and provides, and why it could not be loaded.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "plugins/elf_file.h"
#include "plugins/plugin_file.h"

namespace patchbay::app {

// The first members of pb_entry, as stored in the file.
struct EntryHead {
  uint32_t magic = 0;
  uint32_t size = 0;
  uint16_t abi_major = 0;
  uint16_t abi_minor = 0;
  uint32_t flags = 0;
};

struct Finding {
  const char* check;  // one of inspection_checks(): "libraries"
  bool fatal;         // the plugin cannot be loaded; otherwise a remark
  std::string text;
  std::string fix;

  std::string sentence() const { return text + "; " + fix; }
};

struct Inspection {
  std::optional<core::ElfFile> file;
  std::optional<EntryHead> entry;
  std::optional<core::PluginSource> source;  // set when the manifest can be read
  std::vector<Finding> findings;             // in the order in which a loader would fail

  // The first fatal finding; nullptr when the plugin can be loaded.
  const Finding* reason() const;
};

// The names of all checks, in order.
const std::vector<const char*>& inspection_checks();

Inspection inspect_plugin(const std::filesystem::path& path);
// As inspect_plugin(), without the checks that need the file system (owner, libraries, symbols). Pure.
Inspection inspect_plugin_bytes(std::string bytes);

}  // namespace patchbay::app
