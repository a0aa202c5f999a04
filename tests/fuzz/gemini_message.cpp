#include <cstddef>
#include <cstdint>
#include <string_view>

#include "abi/host_context.h"
#include "server_message.h"

// What the AI engine's server sends: any bytes give a message or a refusal.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const patchbay::lib::JsonSource json(&patchbay::core::json_table_without_host(), nullptr);
  (void)patchbay::engine_gemini::read_message(json, {reinterpret_cast<const char*>(data), size});
  return 0;
}
