// A tenant's host name: the host part of the URLs that its users open.
#pragma once

#include <string>
#include <string_view>

namespace patchbay::core::config {

// Returns the host in lower case, without port and trailing dot; "" when it is no valid host. [::1] keeps its
// brackets.
std::string normalise_host(std::string_view host);

}  // namespace patchbay::core::config
