#include "login/cookies.h"

#include <patchbay/text.h>

#include <algorithm>

#include "identity_limits.h"

namespace patchbay::identity {
namespace {

bool is_https(const Tenant& tenant) { return tenant.issuer.substr(0, 6) == "https:"; }

std::string full_name(const Tenant& tenant, std::string_view name) {
  return std::string(is_https(tenant) ? "__Host-" : "") + "patchbay-" + std::string(name);
}

}  // namespace

std::string cookie_value(std::string_view header, const Tenant& tenant, std::string_view name) {
  const std::string wanted = full_name(tenant, name);
  while (!header.empty()) {
    std::string_view value = trim(take_until(';', header));
    if (trim(take_until('=', value)) != wanted) continue;
    const bool is_ours =
        value.size() == kCookieCharacters && std::all_of(value.begin(), value.end(), is_alphanumeric);
    return is_ours ? std::string(value) : std::string();
  }
  return {};
}

std::string set_cookie(const Tenant& tenant, std::string_view name, std::string_view value) {
  std::string text = full_name(tenant, name) + "=" + std::string(value) + "; Path=/; HttpOnly; SameSite=Lax";
  if (is_https(tenant)) text += "; Secure";
  if (value.empty()) text += "; Max-Age=0";
  return text;
}

}  // namespace patchbay::identity
