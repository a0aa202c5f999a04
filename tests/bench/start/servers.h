// The servers whose start is measured, each with its configuration in a temporary folder.
#pragma once

#include <patchbay/result.h>
#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

#include "support/child_process.h"

namespace patchbay::bench {

// How to start a server, and its ports.
struct Server {
  std::vector<std::string> command;
  std::vector<uint16_t> ports;  // TCP, on 127.0.0.1
  std::string ready;            // what it prints when all is started; "": nothing
};

// Its plugins but engine-gemini, whose work engine-local does; rest-api is the first, because the server
// needs it.
std::vector<std::string> all_plugins();
// Patchbay with SQLite and these plugins, which get the default settings and kernel-chosen ports.
Result<Server> patchbay_server(const std::string& folder,
                               const std::vector<std::string>& plugins = all_plugins());
// Janus with Debian's configuration, on other ports.
Result<Server> janus_server(const std::string& folder);

struct Started {
  double ms = 0;        // from exec until every port takes connections
  double ready_ms = 0;  // from exec until it printed Server::ready
  double idle_kib = 0;  // PSS two seconds later
};
// Calls `look` with the process id when the server is idle.
Result<Started> start_once(const Server& server, const std::string& folder,
                           const std::function<void(pid_t)>& look = {});
// A running Patchbay's process id, or 0. Its shared pages would lower the PSS of the measured one.
pid_t other_patchbay();

}  // namespace patchbay::bench
