// What can be said of a plugin's file without running any of it: what it needs and offers, and why it would
// not load.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "plugins/elf_file.h"
#include "plugins/plugin_source.h"

namespace patchbay::app {

// The numbers at the beginning of pb_entry, as the file holds them.
struct EntryHead {
  uint32_t magic = 0;
  uint32_t size = 0;
  uint16_t abi_major = 0;
  uint16_t abi_minor = 0;
  uint32_t flags = 0;
};

struct Finding {
  const char* check;  // "libraries"
  bool fatal;         // it would not load; else: it would, but should be put right
  std::string text;
  std::string cure;

  std::string sentence() const { return text + "; " + cure; }
};

struct Examination {
  std::optional<core::ElfFile> file;
  std::optional<EntryHead> entry;
  std::optional<core::PluginSource> source;  // when the manifest can be read
  std::vector<Finding> findings;             // in the order a loader would meet them

  // The first reason why it would not load; nullptr when it would.
  const Finding* reason() const;
};

// The names of the checks, in order; every finding has one of them.
const std::vector<const char*>& examination_checks();

Examination examine_plugin(const std::filesystem::path& path);
// The part of it that needs no other file. Pure.
Examination examine_plugin_bytes(std::string bytes);

}  // namespace patchbay::app
