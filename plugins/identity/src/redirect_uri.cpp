#include "redirect_uri.h"

#include <patchbay/percent_encoding.h>
#include <patchbay/text.h>

#include <algorithm>
#include <optional>

#include "identity_limits.h"

namespace patchbay::identity {
namespace {

struct UriParts {
  std::string_view scheme;
  bool has_authority = false;
  std::string_view host;  // with the brackets of an IPv6 address
  std::string_view port;
  std::string_view rest;  // path and query
};

bool is_scheme(std::string_view text) {
  return !text.empty() && is_letter(text.front()) && std::all_of(text.begin(), text.end(), [](char c) {
    return is_alphanumeric(c) || c == '+' || c == '-' || c == '.';
  });
}

// Letters, digits, dots and hyphens, or an IPv6 address in brackets: nothing that means something in a
// header.
bool is_host(std::string_view host) {
  const bool is_ipv6 = host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (is_ipv6) {
    host = host.substr(1, host.size() - 2);
    return std::all_of(host.begin(), host.end(), [](char c) { return is_alphanumeric(c) || c == ':'; });
  }
  return !host.empty() && std::all_of(host.begin(), host.end(),
                                      [](char c) { return is_alphanumeric(c) || c == '.' || c == '-'; });
}

bool is_port(std::string_view port) {
  return is_digits(port) && port.size() <= 5 && port.front() != '0' && std::stoi(std::string(port)) <= 65'535;
}

// Printable ASCII without the characters that no URI has (RFC 3986 2).
bool has_uri_characters(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    return c > ' ' && c < 0x7F && std::string_view("\"<>\\^`{|}").find(c) == std::string_view::npos;
  });
}

std::optional<UriParts> parse_uri(std::string_view uri) {
  if (uri.size() > kMaxRedirectUriBytes || !has_uri_characters(uri)) return std::nullopt;
  const size_t colon = uri.find(':');
  if (colon == std::string_view::npos || !is_scheme(uri.substr(0, colon))) return std::nullopt;
  UriParts parts;
  parts.scheme = uri.substr(0, colon);
  parts.rest = uri.substr(colon + 1);
  parts.has_authority = parts.rest.substr(0, 2) == "//";
  if (!parts.has_authority) return parts;
  std::string_view authority = parts.rest.substr(2);
  authority = authority.substr(0, authority.find_first_of("/?#"));
  parts.rest.remove_prefix(2 + authority.size());
  const size_t port = authority.rfind(':');
  const bool has_port = port != std::string_view::npos && authority.find(']', port) == std::string_view::npos;
  parts.host = has_port ? authority.substr(0, port) : authority;
  if (has_port) parts.port = authority.substr(port + 1);
  if (!is_host(parts.host) || (has_port && !is_port(parts.port))) return std::nullopt;
  return parts;
}

bool is_loopback_address(const UriParts& uri) { return uri.host == "127.0.0.1" || uri.host == "[::1]"; }

}  // namespace

Status check_redirect_uri(std::string_view uri) {
  const auto parts = parse_uri(uri);
  if (!parts) return {Code::invalid, "must be an absolute URI, such as https://app.example.com/callback"};
  if (uri.find('#') != std::string_view::npos)
    return {Code::invalid, "must have no fragment, such as https://app.example.com/callback"};
  if (parts->scheme == "https" || parts->scheme == "http") {
    if (!parts->has_authority)
      return {Code::invalid, "must have a host, such as https://app.example.com/callback"};
    if (parts->scheme == "http" && parts->host != "localhost" && !is_loopback_address(*parts))
      return {Code::invalid,
              "must begin with https:, except for localhost, 127.0.0.1 and [::1], such as "
              "http://127.0.0.1/callback"};
    return {};
  }
  if (parts->scheme.find('.') == std::string_view::npos)
    return {Code::invalid,
            "must begin with https:, or with a private scheme that has a dot, such as "
            "com.example.app:/callback"};
  return {};
}

bool matches_redirect_uri(std::string_view registered, std::string_view requested) {
  if (registered == requested) return true;
  const auto known = parse_uri(registered), wanted = parse_uri(requested);
  if (!known || !wanted || requested.find('#') != std::string_view::npos) return false;
  return known->scheme == "http" && wanted->scheme == "http" && is_loopback_address(*known) &&
         known->has_authority && wanted->has_authority && known->host == wanted->host &&
         known->rest == wanted->rest;
}

std::string policy_source(std::string_view uri) {
  const auto parts = parse_uri(uri);
  if (!parts) return "'none'";
  // A policy cannot name an IPv6 address, and a private scheme has no host.
  if ((parts->scheme != "https" && parts->scheme != "http") || parts->host.front() == '[')
    return std::string(parts->scheme) + ":";
  std::string source = std::string(parts->scheme) + "://" + std::string(parts->host);
  if (!parts->port.empty()) source.append(":").append(parts->port);
  return source;
}

std::string with_parameters(std::string_view uri, const NameValues& parameters) {
  std::string out(uri);
  char separator = uri.find('?') == std::string_view::npos ? '?' : '&';
  if (!uri.empty() && (uri.back() == '?' || uri.back() == '&')) separator = '\0';
  for (const auto& [name, value] : parameters) {
    if (value.empty()) continue;
    if (separator != '\0') out += separator;
    out.append(percent_encode(name)).append("=").append(percent_encode(value));
    separator = '&';
  }
  return out;
}

}  // namespace patchbay::identity
