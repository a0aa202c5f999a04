// Writes listening.json in the data folder: the bound addresses, for scripts and tests that let the system
// choose ports.
//
//   {"public": "127.0.0.1:41235", "management": "127.0.0.1:38467", "admin": "/var/lib/patchbay/admin.sock",
//    "listeners": [{"role": "public", "address": "127.0.0.1:41235", "tls": false}, ...]}
#pragma once

#include <patchbay/result.h>

#include <string>
#include <vector>

#include "http/http_server.h"

namespace patchbay::rest_api {

struct Bound {
  ListenerRole role = kPublic;
  std::string address;  // "127.0.0.1:41235", or a path
  bool tls = false;
};

std::vector<Bound> bound_addresses(const HttpServer& server, const std::vector<ListenerConfig>& listeners);

// Replaces the file atomically. "public" is the first public listener.
Status write_listening_file(const std::string& path, const std::vector<Bound>& bound);

}  // namespace patchbay::rest_api
