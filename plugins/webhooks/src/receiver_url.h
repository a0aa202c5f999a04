// Checks the URLs of receivers with libcurl's parser, which also connects. Any thread; the first call loads
// libcurl, which blocks for 10 to 20 ms.
#pragma once

#include <patchbay/result.h>

#include <string>

namespace patchbay::webhooks {

// Accepts http and https, printable ASCII of at most 2048 bytes, without a user name. Refuses hosts that are
// plainly not public (localhost, 10.0.0.1, 0x7f.1) unless `allow_private`; the address of a name is checked
// on connecting (receiver_address.h). Code::invalid: the text follows the field's name ("must be ...");
// Code::unavailable: libcurl cannot be loaded.
Status check_receiver_url(const std::string& url, bool allow_private);

// The part for logs: "https://hooks.example.com". Paths and queries may contain keys.
std::string loggable(const std::string& url);

}  // namespace patchbay::webhooks
