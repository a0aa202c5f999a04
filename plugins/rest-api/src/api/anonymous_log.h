// Keeps strangers from filling the request log: requests without credentials, whatever their status, get some
// lines a minute for each address and for all addresses together. At the end of the minute the others become
// one line with their counts for each of the busiest addresses, and one for the rest. On the main strand.
#pragma once

#include <patchbay/log.h>
#include <patchbay/strand.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace patchbay::rest_api {

class StrangerLog {
 public:
  static constexpr uint64_t kLinesPerMinute = 10;  // of one address
  static constexpr uint64_t kLinesOfAll = 1000;    // a minute
  static constexpr size_t kSummaries = 50;

  explicit StrangerLog(const Host& host) : host_(&host), timer_(host) {}

  // Whether this request gets a line; else it is counted.
  bool takes_line(std::string_view client, int status);

 private:
  using Counts = std::map<int, uint64_t>;  // by status
  struct Seen {
    uint64_t lines = 0;
    uint64_t requests = 0;  // that got no line
    Counts counts;          // of them
  };
  void sum_up();
  void write(const std::string& client, const Seen& seen) const;

  const Host* host_;
  std::map<std::string, Seen> seen_;  // by lib::address_key, in this minute
  uint64_t lines_ = 0;                // of all, in this minute
  Timer timer_;
};

}  // namespace patchbay::rest_api
