// The SDP found in a body lies inside the body, for any type and parts. The first line is the type.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "dialogs/sdp_body.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const size_t line = text.find('\n');
  if (line == std::string_view::npos) return 0;
  const std::string_view body = text.substr(line + 1);
  const std::string_view sdp = patchbay::sip_trunk::find_sdp(text.substr(0, line), body);
  if (!sdp.empty() && (sdp.data() < body.data() || sdp.data() + sdp.size() > body.data() + body.size()))
    std::abort();
  return 0;
}
