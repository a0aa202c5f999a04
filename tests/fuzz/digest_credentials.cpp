// The digest credentials of a telephone: whatever they are, the parameters that were read are bounded and
// printable, and nothing proves a password that does not exist.
#include "registrar/digest_credentials.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "registrar/nonces.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace patchbay::sip_trunk;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  static_cast<void>(host_of_sip_uri(text));
  const auto read = parse_digest_credentials(text);
  if (!read) return 0;
  for (const std::string* field : {&read->username, &read->realm, &read->nonce, &read->uri, &read->cnonce}) {
    const bool is_clean = std::all_of(field->begin(), field->end(),
                                      [](char c) { return static_cast<unsigned char>(c) >= 0x20; });
    if (field->empty() || field->size() > size || !is_clean) std::abort();
  }
  if (proves(*read, "REGISTER", "")) std::abort();
  static_cast<void>(proves(*read, "REGISTER", "00000000000000000000000000000000"));
  static const Nonces nonces("key");
  if (nonces.is_valid(read->nonce, "192.0.2.7", 0)) std::abort();
  return 0;
}
