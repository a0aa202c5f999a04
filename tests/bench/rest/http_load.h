// A load of HTTP requests from one thread, over connections that are kept open, and what they cost the
// server.
#pragma once

#include <patchbay/result.h>
#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace patchbay::bench {

struct HttpLoad {
  uint16_t port = 0;  // on 127.0.0.1
  pid_t server = 0;
  std::vector<std::string> requests;  // whole, as sent, one after the other
  int connections = 1;                // each has one request in flight
  double rate = 0;  // requests per second, on one connection; 0: as many as the server answers
  double seconds = 1;
  size_t min_body_octets = 0;  // shorter answers, and those without status 200, are errors
};

struct HttpCost {
  double cpu_us = 0;    // of the server's threads and of the kernel for them, per request
  double switches = 0;  // of the server's threads that waited, per request
  std::vector<double> latencies_us;
};

// Error: an answer that is not 200, is too short, or does not come within ten seconds.
Result<HttpCost> run_load(const HttpLoad& load);

// One request on its own connection; the body of its answer. Error: not 2xx.
Result<std::string> ask_once(uint16_t port, const std::string& request);

}  // namespace patchbay::bench
