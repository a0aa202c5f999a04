// The number of descriptors that the server may open: shells and containers start programs with 1024, which
// is enough for 300 calls.
#pragma once

namespace patchbay::app {

// Raises the soft limit to 65,536, or to the hard limit if that is lower. A higher one stays. Plugins with
// `isolation: process` inherit it.
void raise_descriptor_limit() noexcept;

}  // namespace patchbay::app
