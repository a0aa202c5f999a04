// Redirect URIs of clients: which ones may be configured, and which requested one matches (RFC 6749 3.1.2,
// RFC 8252 7, RFC 9700 2.1). Pure; any thread.
#pragma once

#include <patchbay/name_values.h>
#include <patchbay/result.h>

#include <string>
#include <string_view>

namespace patchbay::identity {

// Accepts an absolute URI without a fragment: https; http to localhost, 127.0.0.1 or [::1] only; or a private
// scheme with a dot (com.example.app:/callback). The error is the rule, with an example.
Status check_redirect_uri(std::string_view uri);

// Whether a requested URI is the registered one, character for character. With http the port of 127.0.0.1 and
// [::1] may differ, because a native application gets its port from the system (RFC 8252 7.3).
bool matches_redirect_uri(std::string_view registered, std::string_view requested);

// Returns the source expression of a Content-Security-Policy that matches the URI:
// "https://app.example:8443". For an accepted URI.
std::string policy_source(std::string_view uri);

// Appends the parameters to the URI's query, percent-encoded; those of value "" are left out.
std::string with_parameters(std::string_view uri, const NameValues& parameters);

}  // namespace patchbay::identity
