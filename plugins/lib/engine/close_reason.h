// Describes why an engine's session closed, as a sentence for the call record. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

namespace patchbay::lib {

// `code`: a WebSocket close code, or the HTTP status of a refused connection. `reason`: printable text from
// the engine or from lib/websocket.
std::string describe_close(int code, std::string_view reason);

}  // namespace patchbay::lib
