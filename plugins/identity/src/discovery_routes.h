// The public metadata of the OpenID Connect provider: GET /oidc.ashx/jwks and
// /.well-known/openid-configuration. Main strand.
#pragma once

#include <patchbay/services/http_routes.h>

#include "context.h"

namespace patchbay::identity {

// The context must outlive the routes.
void add_discovery_routes(http::Routes& routes, const Context& context);

// Returns the document of OpenID Connect Discovery 1.0 section 3.
std::string discovery_document(const std::string& issuer);

}  // namespace patchbay::identity
