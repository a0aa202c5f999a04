#include <cstddef>
#include <cstdint>
#include <string_view>

#include "abi/host_context.h"
#include "server_message.h"

// Messages of the AI engine's server: any bytes give a message or an error.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const patchbay::lib::JsonParser json(&patchbay::core::json_table_without_host(), nullptr);
  (void)patchbay::engine_gemini::parse_server_message(json, {reinterpret_cast<const char*>(data), size});
  return 0;
}
