// Where the running server's admin socket is, and whose data a command is about.
#pragma once

#include <patchbay/result.h>

#include <string>

namespace patchbay::app {

struct ServerOptions {
  std::string config_file;  // -c; "" looks in the usual places
  std::string socket;       // --socket; "" asks the configuration
  std::string tenant;       // --tenant; "" means the primary tenant of the configuration, or its only one
  bool json = false;
};

struct ServerAddress {
  std::string socket;
  std::string tenant;  // "": left to the server
};

// The file that -c names, or ./patchbay.yaml, or /etc/patchbay/patchbay.yaml.
std::string usual_config_file(const std::string& given);

// Reads the configuration only when it is needed. Error: it cannot be read; a line per problem.
Result<ServerAddress> find_server(const ServerOptions& options);

// The primary tenant of a configuration's text, or its only one; "" when there is neither.
std::string main_tenant(const std::string& yaml);

}  // namespace patchbay::app
