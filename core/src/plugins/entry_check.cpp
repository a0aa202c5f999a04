#include "plugins/entry_check.h"

#include <string>

#include "plugins/plugin_file_limits.h"

namespace patchbay::core {

Status check_entry(const pb_entry& entry) {
  if (entry.magic != PB_MAGIC) {
    return {Code::invalid,
            "its patchbay_plugin_v1 is not a plugin entry (wrong magic); build it with patchbay_add_plugin"};
  }
  if (entry.size < PB_ENTRY_FLOOR || entry.size > kMaxEntryBytes) {
    return {Code::invalid, "its entry states an impossible size (" + std::to_string(entry.size) +
                               " bytes); rebuild it with the Patchbay SDK"};
  }
  if (entry.abi_major != PB_ABI_MAJOR) {
    return {Code::unsupported, "it was built for ABI " + std::to_string(entry.abi_major) +
                                   ", this core has ABI " + std::to_string(PB_ABI_MAJOR) +
                                   "; rebuild it with this core's SDK"};
  }
  if (entry.create == nullptr) return {Code::invalid, "its entry has no create function"};
  return {};
}

Status check_plugin_table(const pb_plugin* table) {
  const bool complete = table != nullptr && table->size >= PB_PLUGIN_FLOOR && table->start != nullptr &&
                        table->check_config != nullptr && table->reconfigure != nullptr &&
                        table->drain != nullptr && table->stop != nullptr && table->destroy != nullptr;
  if (!complete) return {Code::invalid, "its table lacks functions or states a wrong size"};
  return {};
}

}  // namespace patchbay::core
