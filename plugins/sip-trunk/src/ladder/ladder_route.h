// GET /calls/{id}/ladder: the SIP messages of a call (extension). Main strand.
#pragma once

#include <patchbay/services/http_routes.h>

#include "ladder/ladders.h"

namespace patchbay::sip_trunk {

// `ladders` outlives the routes.
void add_ladder_route(http::Routes& routes, const Ladders& ladders);

}  // namespace patchbay::sip_trunk
