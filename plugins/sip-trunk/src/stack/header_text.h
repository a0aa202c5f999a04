// Formats a header's value as on the wire. sip thread.
#pragma once

#include <strings.h>

#include <string>
#include <string_view>

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

// Whether a message has a malformed header of this class, or more than one where one is allowed.
inline bool has_bad_header(const sip_t& message, const msg_hclass_t* kind) {
  const std::string_view name = kind->hc_name;
  for (const msg_error_t* bad = message.sip_error; bad != nullptr; bad = bad->er_next) {
    if (bad->er_common->h_class == kind) return true;
    const auto* const data = static_cast<const char*>(bad->er_common->h_data);
    const std::string_view text =
        data != nullptr ? std::string_view(data, bad->er_common->h_len) : std::string_view();
    if (text.size() > name.size() && strncasecmp(text.data(), name.data(), name.size()) == 0) return true;
  }
  return false;
}

}  // namespace patchbay::sip_trunk
