// The requests of OIDC clients that are a form: to the token endpoint (RFC 6749) and to revoke (RFC 7009).
// Main strand.
#pragma once

#include <patchbay/services/http_routes.h>

#include <optional>
#include <string>
#include <string_view>

#include "form.h"
#include "read_settings.h"

namespace patchbay::identity {

// A route for such requests, of clients without a bearer.
http::Route form_route(std::string_view path);

struct FormRequest {
  const Tenant* tenant = nullptr;  // of the settings
  Form form;
  std::string fault;  // the description of invalid_request; "": none
};
FormRequest read_form_request(const Settings& settings, const http::Request& request);

// The reply when client_id is missing or not one of the tenant's clients.
std::optional<http::Response> refuse_client(const Tenant& tenant, const std::string& client_id);

}  // namespace patchbay::identity
