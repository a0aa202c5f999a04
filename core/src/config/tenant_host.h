// The name of a tenant: the host part of the addresses its users open.
#pragma once

#include <string>
#include <string_view>

namespace patchbay::core::config {

// Lower case, without port and trailing dot; "" when no host can be called so. [::1] keeps its brackets.
std::string normalise_host(std::string_view host);

}  // namespace patchbay::core::config
