// Lists the listening sockets of this process, whichever plugin opened them: "tcp 127.0.0.1:8080",
// "udp 0.0.0.0:5060", "/run/patchbay/admin.sock".
#pragma once

#include <string>
#include <vector>

namespace patchbay::app {

std::vector<std::string> listening_addresses();

}  // namespace patchbay::app
