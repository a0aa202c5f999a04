// Cookies of the login page (RFC 6265). Under an https issuer their names begin with __Host-, so that no
// other host and no plain connection can set them. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

#include "read_settings.h"

namespace patchbay::identity {

// "session": the sign-in. "browser": random, set with every form; tickets are bound to it.
inline constexpr std::string_view kSessionCookie = "session", kBrowserCookie = "browser";

// Returns the value of a cookie of ours in the header Cookie; "": absent, or nothing that this server sets.
std::string cookie_value(std::string_view header, const Tenant& tenant, std::string_view name);

// The value of a header Set-Cookie. It ends with the browser; an empty value removes it.
std::string set_cookie(const Tenant& tenant, std::string_view name, std::string_view value);

}  // namespace patchbay::identity
