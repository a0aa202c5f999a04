// What a receiver's URL may be. Pure functions; any thread. Read by libcurl's own parser, the one that
// connects.
#pragma once

#include <patchbay/result.h>

#include <string>

namespace patchbay::webhooks {

// http or https, printable ASCII of at most 2048 bytes, no user name. A host that is plainly not public
// (localhost, 10.0.0.1, 0x7f.1) is refused here already unless `allow_private`; what a name resolves to is
// judged on connecting (address.h). The error's text goes on after the field's name: "must be ...".
Status check_receiver_url(const std::string& url, bool allow_private);

// "https://hooks.example.com": what may stand in a log. Paths and queries hold keys.
std::string loggable(const std::string& url);

}  // namespace patchbay::webhooks
