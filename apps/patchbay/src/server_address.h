// Finds the admin socket of the running server, and the tenant that a command works on.
#pragma once

#include <patchbay/result.h>

#include <string>

namespace patchbay::app {

struct ServerOptions {
  std::string config_file;  // -c; "" takes the default file
  std::string socket;       // --socket; "" takes it from the configuration
  std::string tenant;       // --tenant; "" takes the configuration's primary tenant, or its only one
  bool json = false;
};

struct ServerAddress {
  std::string socket;
  std::string tenant;  // "": the server's default
};

// `given` if set, else ./patchbay.yaml, else /etc/patchbay/patchbay.yaml.
std::string default_config_file(const std::string& given);

// Reads the configuration only when an option is missing. Error: it cannot be read, one line per problem.
Result<ServerAddress> find_server(const ServerOptions& options);

// The primary tenant of a configuration's text, or its only one; "" if there is neither.
std::string primary_tenant(const std::string& yaml);

}  // namespace patchbay::app
