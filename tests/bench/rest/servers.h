// The two HTTP servers that bench-rest compares, each with its files in a folder.
#pragma once

#include <patchbay/result.h>

#include <cstdint>
#include <string>

#include "support/child_process.h"

namespace patchbay::bench {

// A server, running, and its port.
struct HttpServerProcess {
  test::Child child;
  uint16_t port;
};

// `patchbay serve` with the plugins that lists and new calls need, and a user alice.
// Its store is on SQLite, or at the URL.
Result<HttpServerProcess> start_patchbay(const std::string& folder, const std::string& store = {});
// Bare Pistache that serves `folder`/list.json.
Result<HttpServerProcess> start_pistache(const std::string& folder);
// Debian's nginx with one worker, which serves the files of the folder.
Result<HttpServerProcess> start_nginx(const std::string& folder);

// A request with the keep-alive header of most clients, or without.
std::string request_text(const std::string& method, const std::string& target, const std::string& bearer,
                         const std::string& body, bool keep_alive_header = true);

// The token of alice. Waits until the server can issue one.
Result<std::string> sign_in(uint16_t port);
// Creates calls that are due tomorrow, and returns the answer to the list request.
Result<std::string> create_calls(uint16_t port, const std::string& bearer, int count);

extern const char kListTarget[];
// The body of a request for a call that is due tomorrow.
std::string call_body();

}  // namespace patchbay::bench
