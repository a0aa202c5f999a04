// The request log's protection from strangers: of requests without credentials that were refused (4xx), each
// address gets some lines a minute; the others become one line with their counts at the end of the minute.
// On the main strand.
#pragma once

#include <patchbay/log.h>
#include <patchbay/strand.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace patchbay::rest_api {

class RefusalLog {
 public:
  static constexpr uint64_t kLinesPerMinute = 10;  // of one address

  explicit RefusalLog(const Host& host) : host_(&host), timer_(host) {}

  // Whether this refusal gets a line; else it is counted.
  bool takes_line(std::string_view client, int status);

 private:
  struct Seen {
    uint64_t lines = 0;
    std::map<int, uint64_t> counts;  // of what got no line, by status
  };
  void sum_up();

  const Host* host_;
  std::map<std::string, Seen> seen_;  // by lib::address_key, in this minute
  Timer timer_;
};

}  // namespace patchbay::rest_api
