// JSON Schemas of the bodies of admin_routes.h.
#pragma once

#include <string>

namespace patchbay::webhooks {

std::string create_schema();
std::string change_schema();
std::string secret_schema();

}  // namespace patchbay::webhooks
