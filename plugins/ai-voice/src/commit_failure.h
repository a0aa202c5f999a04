// Which failures of a commit pass. Pure; any thread.
#pragma once

#include <patchbay/result.h>

namespace patchbay::ai_voice {

// True if the same transaction may succeed later, for example because the disk is full at the moment.
inline bool is_transient_failure(Code code) { return code == Code::unavailable || code == Code::exhausted; }

}  // namespace patchbay::ai_voice
