// Whether and when a call is dialled again after an attempt. Pure; any thread.
#pragma once

#include <cstdint>
#include <string_view>

#include "outbound/attempt_end.h"
#include "outbound/call.h"

namespace patchbay::ai_voice {

// Returns the status of `call` after that attempt.
std::string_view status_after(const Call& call, const Ending& ending);

// Returns when the call is dialled again after that attempt; 0: never.
int64_t next_attempt_ms(const Call& call, const Ending& ending, int64_t ended_ms);

}  // namespace patchbay::ai_voice
