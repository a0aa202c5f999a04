// The body of an INFO request, whose first line is its type; a digit is one of the sixteen.
#include "dialogs/dtmf_info.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const size_t line = text.find('\n');
  if (line == std::string_view::npos) return 0;
  const auto digit = patchbay::sip_trunk::digit_of_info(text.substr(0, line), text.substr(line + 1));
  if (digit && std::string_view("0123456789*#ABCD").find(*digit) == std::string_view::npos) std::abort();
  return 0;
}
