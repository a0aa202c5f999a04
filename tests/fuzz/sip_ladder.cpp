// The text of SIP messages: masks of credentials, Call-ID, first line. Credentials of our own form are masked
// whatever comes before them.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "ladder/ladders.h"
#include "ladder/mask_credentials.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace patchbay::sip_trunk;
  const std::string_view message(reinterpret_cast<const char*>(data), size);
  if (mask_credentials(message).size() > 20 * size + 20) std::abort();
  static_cast<void>(call_id_of(message));
  static_cast<void>(summary_of(message));
  return 0;
}
