// The address of a WebSocket server, taken apart strictly: ws:// and wss:// only, no user name, no fragment.
#pragma once

#include <patchbay/result.h>

#include <string>
#include <string_view>

namespace patchbay::lib {

struct WebSocketUrl {
  bool tls = false;
  std::string host;  // name or address, an IPv6 address without its brackets
  std::string port;
  std::string target;  // path and query, at least "/"

  // What the Host header says: brackets and a non-default port included.
  std::string host_header() const;
  // For logs and messages: without the query, which may carry a key.
  std::string display() const;
};

Result<WebSocketUrl> parse_websocket_url(std::string_view text);

}  // namespace patchbay::lib
