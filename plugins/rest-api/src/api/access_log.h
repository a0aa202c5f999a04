// AccessLog: writes a log line for each request with a route, and the metrics of rest-api. On the main
// strand.
#pragma once

#include <patchbay/log.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "anonymous_log.h"
#include "http/http_server.h"

namespace patchbay::rest_api {

class AccessLog {
 public:
  explicit AccessLog(const Host& host);

  struct Entry {
    std::string_view method;
    std::string_view path;  // without query; the route's pattern if the path is a secret
    int status = 0;
    int64_t took_ns = 0;
    size_t bytes = 0;
    std::string_view remote;
    std::string_view user;
    std::optional<uint32_t> uid;  // of the operator at the admin socket
    std::string_view correlation;
  };
  void write(const Entry& entry);
  void count_timeout() { timeouts_.add(); }
  void count_rate_limited() { rate_limited_.add(); }
  // Updates the metrics from the counters of the HTTP server; called before they are read.
  void update(const ServerStats& stats);

 private:
  const Host* host_;
  std::array<Metric, 5> requests_;  // by class of status
  Metric seconds_;
  std::array<Metric, 3> connections_;  // by listener
  Metric accepted_;
  Metric refused_;
  std::array<Metric, 5> shed_;  // by reason
  Metric body_bytes_;
  Metric body_refused_;
  Metric body_dropped_;
  Metric timeouts_;
  Metric rate_limited_;
  ServerStats reported_;
  AnonymousLog anonymous_;
};

}  // namespace patchbay::rest_api
