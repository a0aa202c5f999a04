// GET and POST /oidc.ashx/userinfo (OpenID Connect Core 5.3): the user of an access token. Main strand.
#pragma once

#include <patchbay/services/http_routes.h>

#include "context.h"

namespace patchbay::identity {

// The context must outlive the routes.
void add_userinfo_routes(http::Routes& routes, const Context& context);

}  // namespace patchbay::identity
