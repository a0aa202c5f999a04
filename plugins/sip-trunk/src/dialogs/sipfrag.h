// Reads the status line in a message/sipfrag body (RFC 3420). Pure; any thread.
#pragma once

#include <string_view>

#include "stack/sip_types.h"

namespace patchbay::sip_trunk {

// "SIP/2.0 486 Busy Here" as a reported step. Status 0: it has none.
ReferStep read_sipfrag(std::string_view body);

}  // namespace patchbay::sip_trunk
