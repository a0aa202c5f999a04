// Sec-WebSocket-Accept and Sec-WebSocket-Key of the handshake (RFC 6455 section 4.2). Pure functions.
#pragma once

#include <string>
#include <string_view>

namespace patchbay::lib {

// The value that answers a request with this key.
std::string websocket_accept(std::string_view key);
// Whether it is 16 octets in base64.
bool is_websocket_key(std::string_view key);

}  // namespace patchbay::lib
