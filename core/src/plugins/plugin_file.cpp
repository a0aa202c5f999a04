#include "plugins/plugin_file.h"

#include <dlfcn.h>
#include <patchbay/str.h>

#include <boost/dll/shared_library.hpp>
#include <functional>
#include <utility>

#include "plugins/elf_file.h"
#include "plugins/entry_check.h"
#include "plugins/plugin_file_limits.h"
#include "plugins/trusted_file.h"

namespace patchbay::core {
namespace {

constexpr const char* kSymbol = "patchbay_plugin_v1";
constexpr const char* kManifestSection = ".patchbay_manifest";
constexpr const char* kStoreSection = ".patchbay_store";

Result<Manifest> parse_manifest(std::string_view text) {
  if (text.size() > kMaxManifestBytes) return {Code::invalid, "its manifest is larger than 256 KiB"};
  auto manifest = Manifest::parse(text);
  if (!manifest) return std::move(manifest).error().within("its manifest is not valid");
  return manifest;
}

size_t hash_of(std::string_view text) { return std::hash<std::string_view>()(text); }

}  // namespace

// RTLD_NODELETE keeps the file mapped for the life of the process, although `library` closes it here (see the
// header).
Result<const pb_entry*> load_entry(const std::filesystem::path& path) {
  namespace dll = boost::dll;
  const auto mode = dll::load_mode::rtld_now | static_cast<dll::load_mode::type>(RTLD_NODELETE);
  dll::shared_library library;
  std::error_code error;
  library.load(std::filesystem::absolute(path), error, mode);
  if (error) {
    const char* reason = dlerror();
    return {Code::failed,
            std::string("it cannot be loaded: ") + (reason != nullptr ? reason : error.message().c_str())};
  }
  if (!library.has(kSymbol)) {
    return {Code::invalid,
            std::string("it exports no symbol ") + kSymbol + "; end its source with PATCHBAY_PLUGIN(...)"};
  }
  return &library.get<const pb_entry>(kSymbol);
}

Result<PluginSource> read_plugin_file(const std::filesystem::path& path) {
  PB_TRY_VALUE(const ElfFile file, ElfFile::read(path));
  for (const std::string& library : file.needed()) {
    if (library.rfind("libc++.so", 0) == 0) {
      return {Code::unsupported,
              "it is linked to a shared libc++, which cannot live beside this core's libstdc++; link it "
              "with -static-libstdc++ or -nostdlib++ and the static libc++"};
    }
  }
  PB_TRY_VALUE(PluginSource source, read_plugin_sections(file));
  source.file = path;
  return source;
}

Result<PluginSource> read_plugin_sections(const ElfFile& file) {
  const auto manifest = file.section(kManifestSection);
  if (!manifest) return {Code::invalid, "it has no manifest; build it with patchbay_add_plugin"};
  PluginSource source;
  PB_TRY_VALUE(source.manifest, parse_manifest(*manifest));
  source.manifest_hash = hash_of(*manifest);
  source.store_sql = file.section(kStoreSection).value_or("");
  return source;
}

Result<PluginSource> read_plugin_entry(const pb_entry& entry) {
  PB_TRY(check_entry(entry));
  PluginSource source;
  PB_TRY_VALUE(source.manifest, parse_manifest(from_abi(entry.manifest)));
  source.store_sql = from_abi(entry.store);
  source.entry = &entry;
  return source;
}

Status load_plugin(PluginSource& source) {
  if (source.entry != nullptr) return {};
  PB_TRY(check_trusted(source.file));
  PB_TRY_VALUE(const pb_entry* entry, load_entry(source.file));
  PB_TRY(check_entry(*entry));
  source.entry = entry;
  const std::string_view text = from_abi(entry->manifest);
  if (hash_of(text) == source.manifest_hash) return {};
  source.entry = nullptr;
  PB_TRY_VALUE(const Manifest loaded, parse_manifest(text));
  if (loaded.id != source.manifest.id) {
    return {Code::conflict,
            "its entry calls itself '" + loaded.id + "', its manifest '" + source.manifest.id + "'"};
  }
  source.entry = entry;
  return {};
}

}  // namespace patchbay::core
