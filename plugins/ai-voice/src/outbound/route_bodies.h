// The registrations of the call endpoints and the bodies of their replies. Pure; any thread.
#pragma once

#include <patchbay/host.h>
#include <patchbay/services/http.h>

#include <string>
#include <string_view>
#include <vector>

#include "outbound/call.h"

namespace patchbay::ai_voice {

http::Route create_route();
http::Route list_route();
http::Route get_route();
http::Route hangup_route();

http::Response no_such_call();
http::Response hangup_reply(const Call& call, std::string_view actor, std::string_view status, bool noop);

// `whitelist_error` "": the number is in the whitelist now.
std::string create_reply(const Call& call, bool whitelist_added, std::string_view whitelist_error);

// "scheduled,cancelled", each once; "": none. Error invalid: an item is not a status.
Result<std::vector<std::string>> read_statuses(std::string_view text);

}  // namespace patchbay::ai_voice
