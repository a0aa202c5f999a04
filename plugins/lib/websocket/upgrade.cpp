#include "websocket/upgrade.h"

#include <patchbay/text.h>

#include "websocket/accept.h"
#include "websocket/limits.h"

namespace patchbay::lib {
namespace {

std::string_view trim(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

bool same_word(std::string_view a, std::string_view b) {
  return to_lower(std::string(a)) == to_lower(std::string(b));
}

// Returns whether the comma-separated list has the word.
bool has_word(std::string_view list, std::string_view word) {
  while (true) {
    const size_t comma = list.find(',');
    if (same_word(trim(list.substr(0, comma)), word)) return true;
    if (comma == std::string_view::npos) return false;
    list.remove_prefix(comma + 1);
  }
}

// "HTTP/1.1 101 ..."; 0: something else.
int status_of(std::string_view line) {
  if (!line.starts_with("HTTP/1.") || line.size() < 12 || !is_digit(line[7]) || line[8] != ' ' ||
      (line.size() > 12 && line[12] != ' '))
    return 0;
  int status = 0;
  for (const char c : line.substr(9, 3)) {
    if (!is_digit(c)) return 0;
    status = status * 10 + (c - '0');
  }
  return status >= 100 ? status : 0;
}

struct Fields {
  bool upgrade = false, connection = false, unwanted = false;
  int accepts = 0, wrong_accepts = 0;
};

bool read_field(std::string_view line, std::string_view expected_accept, Fields& fields) {
  const size_t colon = line.find(':');
  if (colon == 0 || colon == std::string_view::npos || line[0] == ' ' || line[0] == '\t') return false;
  const std::string name = to_lower(std::string(line.substr(0, colon)));
  const std::string_view value = trim(line.substr(colon + 1));
  if (name == "upgrade") fields.upgrade = fields.upgrade || has_word(value, "websocket");
  if (name == "connection") fields.connection = fields.connection || has_word(value, "upgrade");
  if (name == "sec-websocket-accept") ++(value == expected_accept ? fields.accepts : fields.wrong_accepts);
  // The request offered neither.
  if (name == "sec-websocket-extensions" || name == "sec-websocket-protocol")
    fields.unwanted = fields.unwanted || !value.empty();
  return true;
}

std::string fault_of(const Fields& fields) {
  if (!fields.upgrade || !fields.connection) return "the response does not upgrade to a WebSocket";
  // Once (RFC 6455 section 11.3.3).
  if (fields.accepts != 1 || fields.wrong_accepts != 0) return "the response does not fit the request's key";
  return fields.unwanted ? "the response names an extension that was not offered" : "";
}

}  // namespace

std::string write_upgrade_request(const WebSocketUrl& url, const WebSocketOptions& options,
                                  std::string_view key) {
  std::vector<WebSocketOptions::Header> headers{
      {"Host", url.host_header()},     {"Upgrade", "websocket"},
      {"Connection", "Upgrade"},       {"Sec-WebSocket-Key", std::string(key)},
      {"Sec-WebSocket-Version", "13"}, {"User-Agent", options.user_agent}};
  for (const auto& header : options.headers) {
    std::erase_if(headers, [&](const auto& other) { return same_word(other.name, header.name); });
    headers.push_back(header);
  }
  std::string out = "GET " + url.target + " HTTP/1.1\r\n";
  for (const auto& header : headers) out += header.name + ": " + header.value + "\r\n";
  return out + "\r\n";
}

Result<std::optional<UpgradeResponse>> read_upgrade_response(std::string_view received,
                                                             std::string_view key) {
  const size_t end = received.find("\r\n\r\n");
  if (end == std::string_view::npos && received.size() < kMaxUpgradeResponseBytes) return {std::nullopt};
  if (end == std::string_view::npos || end > kMaxUpgradeResponseBytes)
    return {Code::invalid, "the header of the response is too long"};
  std::string_view head = received.substr(0, end);
  size_t line_end = head.find("\r\n");
  UpgradeResponse out{status_of(head.substr(0, line_end)), end + 4, {}};
  if (out.status == 0) return {Code::invalid, "the response is not HTTP"};
  Fields fields;
  const std::string accept = websocket_accept(key);
  while (line_end != std::string_view::npos) {
    head.remove_prefix(line_end + 2);
    line_end = head.find("\r\n");
    if (!read_field(head.substr(0, line_end), accept, fields))
      return {Code::invalid, "the header of the response is not valid"};
  }
  if (out.status == 101) out.error = fault_of(fields);
  return {std::optional<UpgradeResponse>(std::move(out))};
}

}  // namespace patchbay::lib
