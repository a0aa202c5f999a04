#include "dialogs/sdp_body.h"

#include <patchbay/text.h>

#include <string>

#include "stack/sip_limits.h"

namespace patchbay::sip_trunk {
namespace {

constexpr size_t kMaxBoundary = 70;  // RFC 2046 section 5.1.1

// The type without its parameters.
std::string_view media_type(std::string_view content_type) {
  return trim(content_type.substr(0, content_type.find(';')));
}

std::string_view parameter(std::string_view content_type, std::string_view name) {
  size_t at = content_type.find(';');
  while (at != std::string_view::npos) {
    content_type.remove_prefix(at + 1);
    at = content_type.find(';');
    const std::string_view one = trim(content_type.substr(0, at));
    const size_t equals = one.find('=');
    if (equals == std::string_view::npos || !equals_ignoring_case(trim(one.substr(0, equals)), name))
      continue;
    std::string_view value = trim(one.substr(equals + 1));
    if (value.size() >= 2 && value.front() == '"' && value.back() == '"')
      value = value.substr(1, value.size() - 2);
    return value;
  }
  return {};
}

// Returns the body of one part if it is SDP, else empty.
std::string_view sdp_of_part(std::string_view part) {
  bool is_sdp = false;
  while (true) {
    const size_t end = part.find('\n');
    if (end == std::string_view::npos) return {};
    const std::string_view line = trim(part.substr(0, end));
    part.remove_prefix(end + 1);
    if (line.empty()) return is_sdp ? part : std::string_view();
    const size_t colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    const std::string_view name = trim(line.substr(0, colon));
    if (equals_ignoring_case(name, "Content-Type") || equals_ignoring_case(name, "c"))
      is_sdp = equals_ignoring_case(media_type(line.substr(colon + 1)), "application/sdp");
  }
}

}  // namespace

std::string_view find_sdp(std::string_view content_type, std::string_view body) {
  const std::string_view type = media_type(content_type);
  if (type.empty() || equals_ignoring_case(type, "application/sdp")) return body;
  if (type.size() < 10 || !equals_ignoring_case(type.substr(0, 10), "multipart/")) return {};
  const std::string_view boundary = parameter(content_type, "boundary");
  if (boundary.empty() || boundary.size() > kMaxBoundary) return {};
  const std::string delimiter = "--" + std::string(boundary);
  size_t at = body.find(delimiter);
  for (size_t part = 0; part < kMaxBodyParts && at != std::string_view::npos; ++part) {
    body.remove_prefix(at + delimiter.size());
    if (body.starts_with("--")) return {};
    const size_t line_end = body.find('\n');
    if (line_end == std::string_view::npos) return {};
    body.remove_prefix(line_end + 1);
    at = body.find(delimiter);
    std::string_view one = body.substr(0, at);
    // The line break before a delimiter belongs to the delimiter (RFC 2046 section 5.1.1).
    if (at != std::string_view::npos) {
      if (!one.empty() && one.back() == '\n') one.remove_suffix(1);
      if (!one.empty() && one.back() == '\r') one.remove_suffix(1);
    }
    const std::string_view sdp = sdp_of_part(one);
    if (!sdp.empty()) return sdp;
  }
  return {};
}

}  // namespace patchbay::sip_trunk
