#include "websocket/url.h"

#include <patchbay/text.h>

namespace patchbay::lib {
namespace {

bool is_port(std::string_view text) {
  if (text.empty() || text.size() > 5) return false;
  unsigned value = 0;
  for (char c : text) {
    if (c < '0' || c > '9') return false;
    value = value * 10 + static_cast<unsigned>(c - '0');
  }
  return value > 0 && value < 65536;
}

bool is_host(std::string_view text, bool bracketed) {
  if (text.empty() || text.size() > 255) return false;
  for (char c : text) {
    const bool name = is_alphanumeric(c) || c == '-' || c == '.';
    if (!name && !(bracketed ? c == ':' : c == '_')) return false;
  }
  return true;
}

Error bad(const char* why) { return {Code::invalid, std::string("WebSocket URL: ") + why}; }

}  // namespace

std::string WebSocketUrl::host_header() const {
  std::string out = host.find(':') == std::string::npos ? host : "[" + host + "]";
  if (port != (tls ? "443" : "80")) out += ":" + port;
  return out;
}

std::string WebSocketUrl::display() const {
  return (tls ? "wss://" : "ws://") + host_header() + target.substr(0, target.find('?'));
}

Result<WebSocketUrl> parse_websocket_url(std::string_view text) {
  if (text.size() > 2048) return bad("longer than 2048 bytes");
  for (char c : text)
    if (c <= ' ' || c == 127 || c == '\\' || c == '"' || c == '<' || c == '>' || (c & 0x80) != 0)
      return bad("holds a character that must be percent-encoded");
  WebSocketUrl url;
  if (text.starts_with("wss://")) {
    url.tls = true;
    text.remove_prefix(6);
  } else if (text.starts_with("ws://")) {
    text.remove_prefix(5);
  } else {
    return bad("must start with wss:// or ws://");
  }
  size_t end = text.find_first_of("/?#");
  std::string_view authority = text.substr(0, end);
  std::string_view rest = end == std::string_view::npos ? std::string_view{} : text.substr(end);
  if (rest.find('#') != std::string_view::npos) return bad("has a fragment");
  if (authority.find('@') != std::string_view::npos) return bad("has a user name");

  bool bracketed = !authority.empty() && authority[0] == '[';
  std::string_view host = authority, port;
  if (bracketed) {
    size_t close = authority.find(']');
    if (close == std::string_view::npos) return bad("has an open bracket");
    host = authority.substr(1, close - 1);
    authority.remove_prefix(close + 1);
    if (!authority.empty() && authority[0] != ':') return bad("has text after the bracket");
    port = authority;
  } else if (size_t colon = authority.find(':'); colon != std::string_view::npos) {
    host = authority.substr(0, colon);
    port = authority.substr(colon);
  }
  if (!is_host(host, bracketed)) return bad("has no valid host");
  if (!port.empty() && !is_port(port.substr(1))) return bad("has no valid port");
  url.host = host;
  url.port = port.empty() ? std::string(url.tls ? "443" : "80") : std::string(port.substr(1));
  url.target = rest.empty() || rest[0] != '/' ? "/" + std::string(rest) : std::string(rest);
  return url;
}

}  // namespace patchbay::lib
