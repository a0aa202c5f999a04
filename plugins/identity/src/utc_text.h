#pragma once

#include <cstdint>
#include <string>

namespace patchbay::identity {

// 2026-11-20T08:15:00.000Z
std::string utc_text(int64_t wall_ms);

}  // namespace patchbay::identity
