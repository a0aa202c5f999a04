// Plugin files with arbitrary bytes: the checks that read a file without running it.
#include <cstdlib>

#include "plugin_inspect/plugin_file_checks.h"

using namespace patchbay::app;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const Inspection inspection = inspect_plugin_bytes(std::string(reinterpret_cast<const char*>(data), size));
  if (!inspection.file) {
    if (inspection.reason() == nullptr) std::abort();
    return 0;
  }
  for (const auto& symbol : inspection.file->exported())
    if (inspection.file->at(symbol.address, 16).size() % 16 != 0) std::abort();
  for (const Finding& each : inspection.findings)
    if (each.text.empty() || each.fix.empty()) std::abort();
  return 0;
}
