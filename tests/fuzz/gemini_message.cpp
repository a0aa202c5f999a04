#include <cstddef>
#include <cstdint>
#include <string_view>

#include "gemini/reader.h"

// What the AI engine's server sends: any bytes give a message or a refusal.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  (void)patchbay::ai_voice::gemini::read_message({reinterpret_cast<const char*>(data), size});
  return 0;
}
