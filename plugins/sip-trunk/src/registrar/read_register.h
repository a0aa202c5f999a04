// Reads a REGISTER from sofia-sip's parser. sip thread.
#pragma once

#include <string>

#include "registrar/register_types.h"
#include "stack/sofia.h"

namespace patchbay::sip_trunk {

// `request` has a Call-ID and a To.
RegisterRequest read_register(const sip_t& request, const lib::SocketAddress& source);

// The host of To in lower case, which is the tenant and the realm of its users; "": none.
std::string realm_of(const sip_t& request);

}  // namespace patchbay::sip_trunk
