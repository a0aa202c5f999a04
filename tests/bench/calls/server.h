// The measured server: this program again, with a whole core in it. It creates the calls through the API,
// reports that on standard output, and serves until SIGTERM.
#pragma once

#include <string>

namespace patchbay::bench {

// YAML of a server whose calls go to the trunk at 127.0.0.1:`sip_port` and to the engine at `url`.
std::string server_config(int sip_port, const std::string& url, const std::string& ca_file);

// argv: CONFIG LOG. Returns the exit code.
int serve(const char* config, const char* log);

// The number of the call's telephone.
std::string phone_of(int call);

}  // namespace patchbay::bench
