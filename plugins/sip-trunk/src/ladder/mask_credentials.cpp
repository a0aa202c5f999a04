#include "ladder/mask_credentials.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "ladder/message_text.h"

namespace patchbay::sip_trunk {
namespace {

constexpr std::string_view kMask = "***";

bool has_credentials(std::string_view name) {
  return is_name(name, "authorization") || is_name(name, "proxy-authorization");
}

// Parameters of digest credentials that may be shown (RFC 7616 section 3.4).
bool is_harmless(std::string_view parameter) {
  static constexpr std::array<std::string_view, 8> kHarmless{"realm", "uri",    "algorithm", "qop",
                                                             "nc",    "opaque", "nonce",     "username"};
  return std::any_of(kHarmless.begin(), kHarmless.end(),
                     [&](std::string_view name) { return is_name(parameter, name); });
}

// "realm="a", response="..."" with the values masked that are not harmless.
std::string mask_parameters(std::string_view list) {
  std::string masked;
  while (!list.empty()) {
    // A comma in quotes does not end the parameter.
    size_t end = 0;
    for (bool quoted = false; end < list.size() && (quoted || list[end] != ','); ++end) {
      if (list[end] == '"') quoted = !quoted;
      if (quoted && list[end] == '\\' && end + 1 < list.size()) ++end;
    }
    end = std::min(end, list.size());
    const std::string_view parameter = list.substr(0, end);
    const size_t equals = parameter.find('=');
    if (!masked.empty()) masked += ',';
    if (equals != std::string_view::npos && is_harmless(trim(parameter.substr(0, equals))))
      masked += parameter;
    else if (equals != std::string_view::npos)
      masked.append(parameter.substr(0, equals + 1)).append(kMask);
    else
      masked += kMask;
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return masked;
}

// The value of a header with credentials: "Digest username=..." or another scheme.
std::string mask_header_value(std::string_view value) {
  const std::string_view text = trim(value);
  constexpr std::string_view kDigest = "digest";
  if (!begins_with(text, kDigest) || text.size() == kDigest.size() ||
      std::isspace(static_cast<unsigned char>(text[kDigest.size()])) == 0)
    return " " + std::string(kMask);
  return " Digest " + mask_parameters(trim(text.substr(kDigest.size())));
}

// "sip:user:password@host": a password is what precedes @, up to a character that no URI's userinfo has.
std::string mask_uri_passwords(std::string_view line) {
  std::string masked;
  size_t from = 0;
  for (size_t at = line.find('@'); at != std::string_view::npos; at = line.find('@', at + 1)) {
    size_t begin = at;
    while (begin > from && std::string_view(" \t<>\"@,").find(line[begin - 1]) == std::string_view::npos)
      --begin;
    const std::string_view userinfo = line.substr(begin, at - begin);
    const size_t scheme = userinfo.find(':');
    const size_t password = scheme == std::string_view::npos ? scheme : userinfo.find(':', scheme + 1);
    const bool is_sip = begins_with(userinfo, "sip:") || begins_with(userinfo, "sips:");
    if (!is_sip || password == std::string_view::npos) continue;
    masked.append(line.substr(from, begin + password + 1 - from)).append(kMask);
    from = at;
  }
  return masked.append(line.substr(from));
}

std::string mask_sdp_line(std::string_view line) {
  if (begins_with(line, "k=")) return "k=" + std::string(kMask);
  if (begins_with(line, "a=ice-pwd:")) return "a=ice-pwd:" + std::string(kMask);
  if (begins_with(line, "a=crypto:")) {
    // "a=crypto:1 SUITE inline:KEY|2^20|1:4 ..."
    const size_t tag_end = line.find(' ');
    const size_t suite_end = tag_end == std::string_view::npos ? tag_end : line.find(' ', tag_end + 1);
    return std::string(line.substr(0, suite_end == std::string_view::npos ? 9 : suite_end)) + " " +
           std::string(kMask);
  }
  return std::string(line);
}

}  // namespace

std::string mask_credentials(std::string_view message) {
  std::string masked;
  masked.reserve(message.size());
  bool in_body = false;
  bool in_credentials = false;  // in a header with credentials, whose lines may be folded
  std::string credentials;
  const auto end_credentials = [&] {
    if (!in_credentials) return;
    masked += mask_header_value(credentials) + "\n";
    in_credentials = false;
  };
  while (!message.empty()) {
    const size_t newline = message.find('\n');
    std::string_view line = message.substr(0, newline);
    message.remove_prefix(newline == std::string_view::npos ? message.size() : newline + 1);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    const bool is_folded = !in_body && !line.empty() && (line[0] == ' ' || line[0] == '\t');
    if (in_credentials && is_folded) {
      credentials.append(" ").append(trim(line));
      continue;
    }
    end_credentials();
    if (in_body) {
      masked += mask_sdp_line(line);
    } else if (has_credentials(header_name(line))) {
      const size_t colon = line.find(':');
      masked += line.substr(0, colon + 1);
      credentials = line.substr(colon + 1);
      in_credentials = true;
      continue;
    } else {
      in_body = line.empty();
      masked += mask_uri_passwords(line);
    }
    masked += '\n';
  }
  end_credentials();
  return masked;
}

}  // namespace patchbay::sip_trunk
