// The HTTP/1.1 request that opens a WebSocket, and its response (RFC 6455 section 4). Pure functions.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "websocket/client.h"
#include "websocket/url.h"

namespace patchbay::lib {

// `key`: 16 random bytes in base64. A header of `options` replaces the default of the same name.
std::string write_upgrade_request(const WebSocketUrl& url, const WebSocketOptions& options,
                                  std::string_view key);

struct UpgradeResponse {
  int status = 0;
  size_t bytes = 0;   // of the response, behind which frames follow
  std::string error;  // why it does not open a WebSocket, although the status is 101
};
// Reads the response to a request with `key`. Error: it is no HTTP response, or a part of it that is too
// long. Empty: more bytes are needed.
Result<std::optional<UpgradeResponse>> read_upgrade_response(std::string_view received, std::string_view key);

}  // namespace patchbay::lib
