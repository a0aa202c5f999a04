#include "response_writer.h"

#include <patchbay/services/http_rules.h>
#include <patchbay/text.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "error_format.h"
#include "limits.h"

namespace patchbay::rest_api {
namespace {

std::string_view reason(int status) noexcept {
  switch (status) {
    case 101:
      return "Switching Protocols";
    case 200:
      return "OK";
    case 201:
      return "Created";
    case 202:
      return "Accepted";
    case 204:
      return "No Content";
    case 301:
      return "Moved Permanently";
    case 302:
      return "Found";
    case 303:
      return "See Other";
    case 304:
      return "Not Modified";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 409:
      return "Conflict";
    case 413:
      return "Content Too Large";
    case 414:
      return "URI Too Long";
    case 415:
      return "Unsupported Media Type";
    case 417:
      return "Expectation Failed";
    case 429:
      return "Too Many Requests";
    case 431:
      return "Request Header Fields Too Large";
    case 500:
      return "Internal Server Error";
    case 502:
      return "Bad Gateway";
    case 503:
      return "Service Unavailable";
    default:
      return "";
  }
}

// Headers that only the server writes.
bool is_server_header(std::string_view name) {
  static constexpr std::array<std::string_view, 10> kNames = {"connection",
                                                              "content-length",
                                                              "transfer-encoding",
                                                              "date",
                                                              "cache-control",
                                                              "keep-alive",
                                                              "upgrade",
                                                              "x-request-id",
                                                              "x-content-type-options",
                                                              "strict-transport-security"};
  return std::any_of(kNames.begin(), kNames.end(),
                     [&](auto known) { return equals_ignoring_case(known, name); });
}

bool is_valid(const Response& response, bool upgrade) {
  const bool switches = response.status == 101 && upgrade && response.stream;
  return (switches || (response.status >= 200 && response.status <= 599)) &&
         std::all_of(response.headers.begin(), response.headers.end(),
                     [](const auto& header) { return http::is_header(header.first, header.second); });
}

void append_number(std::string& out, size_t number) {
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  out.append(digits, end);
}

}  // namespace

void append_response(OutputQueue& output, Response response, BodyBudget::Share share,
                     const ResponseOptions& options) {
  if (!is_valid(response, options.upgrade))
    response = error_response(500, "internal_error", "the response could not be written");
  std::string& out = output.text();
  out.append("HTTP/1.1 ");
  append_number(out, static_cast<size_t>(response.status));
  out.append(" ").append(reason(response.status)).append("\r\nDate: ").append(options.date);
  out.append("\r\nCache-Control: no-store\r\nConnection: ");
  if (response.status == 101)
    out.append("Upgrade\r\nUpgrade: websocket\r\n");
  else
    out.append(options.close || response.stream ? "close\r\n" : "keep-alive\r\n");
  out.append("X-Content-Type-Options: nosniff\r\n");
  if (!options.request_id.empty()) out.append("X-Request-Id: ").append(options.request_id).append("\r\n");
  if (options.hsts_sec > 0) {
    out.append("Strict-Transport-Security: max-age=");
    append_number(out, options.hsts_sec);
    out.append("\r\n");
  }
  bool typed = false;
  for (const auto& [name, value] : response.headers) {
    if (is_server_header(name)) continue;
    typed = typed || equals_ignoring_case(name, "content-type");
    out.append(name).append(": ").append(value).append("\r\n");
  }
  if (response.chunked) out.append("Transfer-Encoding: chunked\r\n");
  const bool bodiless =
      response.status == 204 || response.status == 304 || response.stream || response.chunked;
  if (!bodiless) {
    const size_t size = response.content_size();
    if (!typed && size > 0) out.append("Content-Type: application/json\r\n");
    out.append("Content-Length: ");
    append_number(out, size);
    out.append("\r\n");
  }
  out.append("\r\n");
  if (bodiless || options.head_only) return;
  if (response.content_size() <= kMaxCopiedBody) {
    out.append(response.body).append(response.bytes.view()).append(response.tail);
  } else if (response.bytes.size() > 0) {
    out.append(response.body);
    output.append_body(std::move(response.bytes), std::move(share));
    if (!response.tail.empty()) output.append(response.tail);
  } else {
    output.append_body(std::move(response.body) + response.tail, std::move(share));
  }
}

}  // namespace patchbay::rest_api
