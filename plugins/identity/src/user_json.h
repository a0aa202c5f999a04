// Users over REST: the schemas, and the reply. Pure functions.
#pragma once

#include <patchbay/json.h>

#include <string>

#include "user.h"

namespace patchbay::identity {

// Schema of a user in a reply; `more` adds members: ",\"password\":{...}".
std::string user_schema(const std::string& more = {});
// Writes the members of a user; never a password.
JsonWriter& write_members(JsonWriter& body, const User& user, const Account& account);
// The user as an object, also for the audit record.
std::string user_json(const User& user, const Account& account);

// Names of stored users: a letter or digit, then letters, digits and . _ @ + -, at most 128. So they are the
// same in a SIP URI and a digest, and none looks like "key:billing".
bool is_user_name(std::string_view name);

}  // namespace patchbay::identity
