// ServerMetrics: the metrics of rest-api. On the main strand.
#pragma once

#include <patchbay/log.h>

#include <array>
#include <cstdint>

#include "http/http_server.h"

namespace patchbay::rest_api {

class ServerMetrics {
 public:
  explicit ServerMetrics(const Host& host);

  // Counts a request that was answered.
  void count_request(int status, int64_t took_ns);
  void count_timeout() { timeouts_.add(); }
  void count_rate_limited() { rate_limited_.add(); }
  // Updates the metrics from the counters of the HTTP server; called before they are read.
  void update(const ServerStats& stats);

 private:
  std::array<Metric, 5> requests_;  // by class of status
  Metric seconds_;
  std::array<Metric, 3> connections_;  // by listener
  Metric accepted_;
  Metric refused_;
  std::array<Metric, 5> shed_;  // by reason
  Metric body_bytes_;
  Metric body_refused_;
  Metric body_dropped_;
  Metric response_bytes_;
  Metric response_refused_;
  Metric blocked_calls_;
  Metric timeouts_;
  Metric rate_limited_;
  ServerStats reported_;
};

}  // namespace patchbay::rest_api
