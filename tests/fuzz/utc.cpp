// Times as clients write them: an accepted time can be written, and is read back as the same.

#include <patchbay/utc.h>

#include <cstdint>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto ms = patchbay::parse_utc({reinterpret_cast<const char*>(data), size});
  if (!ms) return 0;
  const std::string text = patchbay::utc_text(*ms);
  if (text.size() != 24 || patchbay::parse_utc(text) != ms) std::abort();
  return 0;
}
