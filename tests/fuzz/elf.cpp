// A plugin's file, which anybody may have put into the plugin folder: everything that is read of it without
// running it.
#include <cstdlib>

#include "inspection.h"

using namespace patchbay::app;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const Examination seen = examine_plugin_bytes(std::string(reinterpret_cast<const char*>(data), size));
  if (!seen.file) {
    if (seen.reason() == nullptr) std::abort();
    return 0;
  }
  for (const auto& symbol : seen.file->exported())
    if (seen.file->at(symbol.address, 16).size() % 16 != 0) std::abort();
  for (const Finding& each : seen.findings)
    if (each.text.empty() || each.cure.empty()) std::abort();
  return 0;
}
