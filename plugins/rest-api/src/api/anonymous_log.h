// Limits the access log's lines of anonymous requests (without valid credentials): some a minute for each
// address and for all addresses together. At the end of the minute the others are summarised in one line for
// each of the busiest addresses and one for the rest. On the main strand.
#pragma once

#include <patchbay/log.h>
#include <patchbay/strand.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace patchbay::rest_api {

class AnonymousLog {
 public:
  explicit AnonymousLog(const Host& host) : host_(&host), timer_(host) {}

  // Whether this request gets a line. False: counts it for the summary.
  bool takes_line(std::string_view client, int status);

 private:
  using Counts = std::map<int, uint64_t>;  // by status
  struct Seen {
    uint64_t lines = 0;
    uint64_t requests = 0;  // without a line
    Counts counts;          // of these
  };
  void write_summaries();
  void write(const std::string& client, const Seen& seen) const;

  const Host* host_;
  std::map<std::string, Seen> seen_;  // by lib::address_key, in this minute
  uint64_t lines_ = 0;                // of all addresses, in this minute
  Timer timer_;
};

}  // namespace patchbay::rest_api
