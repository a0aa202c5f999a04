// Why an engine's session ended, as a sentence for the call record. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

namespace patchbay::lib {

// `code`: a WebSocket close code, or the HTTP status of a refused connection. `reason`: printable, of the
// engine or of the connection.
std::string describe_close(int code, std::string_view reason);

}  // namespace patchbay::lib
