// The media table of a test: loops driven by hand where the clocks are, ports written down as they are made.
#pragma once

#include <patchbay/abi/media.h>

namespace patchbay::fake {

const pb_media& watched_media() noexcept;

}  // namespace patchbay::fake
