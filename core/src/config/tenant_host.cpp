#include "config/tenant_host.h"

#include <patchbay/text.h>

#include <algorithm>

namespace patchbay::core::config {
namespace {

bool is_name_char(char c) noexcept {
  return (c >= 'a' && c <= 'z') || is_digit(c) || c == '-' || c == '.' || c == '_';
}
bool is_address_char(char c) noexcept {
  return (c >= 'a' && c <= 'f') || is_digit(c) || c == ':' || c == '.';
}

// Removes a port such as ":8080".
std::string_view without_port(std::string_view host) noexcept {
  const size_t colon = host.rfind(':');
  if (colon == std::string_view::npos || colon < host.rfind(']') + 1) return host;
  const std::string_view port = host.substr(colon + 1);
  return std::all_of(port.begin(), port.end(), is_digit) ? host.substr(0, colon) : host;
}

}  // namespace

std::string normalise_host(std::string_view host) {
  constexpr size_t kMaxHostLength = 253;
  std::string name = to_lower(without_port(host));
  if (!name.empty() && name.front() == '[') {
    const bool good = name.size() > 4 && name.back() == ']' &&
                      std::all_of(name.begin() + 1, name.end() - 1, is_address_char);
    return good ? name : "";
  }
  if (!name.empty() && name.back() == '.') name.pop_back();
  const bool good = !name.empty() && name.size() <= kMaxHostLength && name.front() != '.' &&
                    name.find("..") == std::string::npos &&
                    std::all_of(name.begin(), name.end(), is_name_char);
  return good ? name : "";
}

}  // namespace patchbay::core::config
