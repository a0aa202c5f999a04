#include "plugin_file.h"

#include <dlfcn.h>

#include <filesystem>
#include <system_error>

namespace patchbay::fake {

Result<const pb_entry*> load_entry(const std::string& file) {
  std::error_code error;
  // Without a slash dlopen would search the system's folders.
  const std::string path = std::filesystem::absolute(file, error).string();
  void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (library == nullptr) return {Code::failed, std::string("it cannot be loaded: ") + ::dlerror()};
  const void* symbol = ::dlsym(library, "patchbay_plugin_v1");
  if (symbol == nullptr) {
    return {Code::invalid,
            file + " exports no symbol patchbay_plugin_v1; end its source with PATCHBAY_PLUGIN(...)"};
  }
  return static_cast<const pb_entry*>(symbol);
}

Status check_entry(const pb_entry& entry) {
  if (entry.magic != PB_MAGIC) {
    return {Code::invalid,
            "its patchbay_plugin_v1 is not a plugin entry (wrong magic); build it with patchbay_add_plugin"};
  }
  if (entry.size < sizeof(pb_entry) || entry.size > 64 * 1024) {
    return {Code::invalid, "its entry states an impossible size (" + std::to_string(entry.size) + " bytes)"};
  }
  if (entry.abi_major != PB_ABI_MAJOR)
    return {Code::unsupported, "it was built for ABI " + std::to_string(entry.abi_major)};
  if (entry.create == nullptr) return {Code::invalid, "its entry has no create function"};
  return {};
}

}  // namespace patchbay::fake
