#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "abi/host_context.h"
#include "plugins/engine-gemini/same_message.h"
#include "server_message_reader.h"

using namespace patchbay;
using namespace patchbay::engine_gemini;

// Messages of the AI engine's server: any bytes give a message or an error, and the reader, which remembers
// the previous message, the same as the parser.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const lib::JsonParser json(&core::json_table_without_host(), nullptr);
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  static ServerMessageReader reader(json);
  const auto parsed = parse_server_message(json, text);
  for (int i = 0; i < 2; ++i)
    if (!same(reader.read(text), parsed)) std::abort();
  return 0;
}
