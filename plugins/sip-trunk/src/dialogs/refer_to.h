// Reads the value of Refer-To (RFC 3515) in a REFER of the far end. Pure; any thread. The text is untrusted:
// only a number and a Replaces are taken from it.
#pragma once

#include <patchbay/result.h>

#include <optional>
#include <string>
#include <string_view>

#include "dialogs/replaces.h"

namespace patchbay::sip_trunk {

struct ReferTarget {
  std::string number;  // normalised
  std::optional<Replaces> replaces{};
};

// Accepts sip:, sips: and tel: URIs whose user is a number, without a password and without parameters of the
// user. The host counts for nothing, and further headers of the URI neither. Code::denied: a
// method other than INVITE. Code::invalid: anything else.
Result<ReferTarget> read_refer_to(std::string_view value);

}  // namespace patchbay::sip_trunk
