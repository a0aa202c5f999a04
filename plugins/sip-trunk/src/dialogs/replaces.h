// Reads the value of Replaces (RFC 3891), of an INVITE or within Refer-To. Pure; any thread. The text is
// untrusted.
#pragma once

#include <patchbay/result.h>

#include <string>
#include <string_view>

namespace patchbay::sip_trunk {

// Names a dialog. The tags are those of the side that gets the INVITE (to_tag) and of its peer.
struct Replaces {
  std::string call_id;
  std::string to_tag;
  std::string from_tag;
  bool early_only = false;
  friend bool operator==(const Replaces&, const Replaces&) = default;
};

// Code::invalid: it is not of the form callid;to-tag=...;from-tag=..., or too long.
Result<Replaces> read_replaces(std::string_view value);

// The value as a header has it.
std::string text_of(const Replaces& replaces);

}  // namespace patchbay::sip_trunk
