// The servers whose start is measured, each with its configuration in a temporary folder.
#pragma once

#include <patchbay/result.h>

#include <memory>
#include <string>
#include <vector>

#include "support/child_process.h"

namespace patchbay::bench {

// How to start a server, and its ports.
struct Server {
  std::vector<std::string> command;
  std::vector<uint16_t> ports;  // TCP, on 127.0.0.1
};

// Patchbay with all its plugins, SQLite, and an idle telephone port.
Result<Server> patchbay_server(const std::string& folder);
// Janus with Debian's configuration, on other ports.
Result<Server> janus_server(const std::string& folder);

struct Started {
  double ms = 0;        // from exec until every port takes connections
  double idle_kib = 0;  // PSS two seconds later
};
Result<Started> start_once(const Server& server, const std::string& folder);

}  // namespace patchbay::bench
