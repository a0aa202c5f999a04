// Parses WebSocket URLs strictly: ws:// and wss:// only, no user name, no fragment.
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

  // Value of the Host header, with the brackets of IPv6 and a port that is not the default.
  std::string host_header() const;
  // The URL for logs and messages, without the query, which may contain a key.
  std::string display() const;
};

Result<WebSocketUrl> parse_websocket_url(std::string_view text);

}  // namespace patchbay::lib
