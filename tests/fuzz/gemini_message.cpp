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

namespace {

constexpr char kSeparator = '\x1e';  // of the messages of one connection in an input

}  // namespace

// Messages of the AI engine's server: any bytes give a message or an error, and the reader, which remembers
// the previous message, the same as the parser.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const lib::JsonParser json(&core::json_table_without_host(), nullptr);
  const std::string_view all(reinterpret_cast<const char*>(data), size);
  ServerMessageReader reader(json);
  for (int round = 0; round < 2; ++round) {
    for (size_t begin = 0; begin <= all.size();) {
      const std::string_view text = all.substr(begin, all.find(kSeparator, begin) - begin);
      if (!same(reader.read(text), parse_server_message(json, text))) std::abort();
      begin += text.size() + 1;
    }
  }
  return 0;
}
