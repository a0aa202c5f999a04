// Formats a header's value as on the wire. sip thread.
#pragma once

#include <string>

#include "stack/sofia.h"

namespace patchbay::sip_trunk {

// Returns empty for null and for values above 8 KiB. Does not use sip_header_as_string(), because that of
// sofia-sip 1.12.11 truncates values of about 256 bytes.
template <class Header>
std::string header_text(const Header* header) {
  if (header == nullptr) return {};
  char buffer[8192];
  const auto size =
      msg_header_field_e(buffer, sizeof(buffer), reinterpret_cast<const msg_header_t*>(header), 0);
  if (size < 0 || size >= static_cast<issize_t>(sizeof(buffer))) return {};
  return std::string(buffer, static_cast<size_t>(size));
}

}  // namespace patchbay::sip_trunk
