// What is told of each request that a route served: one log line, and metrics. On the main strand.
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

class Traffic {
 public:
  explicit Traffic(const Host& host);

  struct Served {
    std::string_view method;
    std::string_view path;  // without its query; the route's pattern where the path itself is a secret
    int status = 0;
    int64_t took_ns = 0;
    size_t bytes = 0;
    std::string_view remote;
    std::string_view user;
    std::optional<uint32_t> uid;  // of the operator at the admin socket
    std::string_view correlation;
  };
  void note(const Served& served);
  void count_timeout() { timeouts_.add(); }
  void count_rate_limited() { rate_limited_.add(); }
  // The edge's own counts, shortly before the metrics are read.
  void note(const EdgeStats& stats);

 private:
  const Host* host_;
  std::array<Metric, 5> requests_;  // by class of status
  Metric seconds_;
  std::array<Metric, 3> connections_;  // by surface
  Metric accepted_;
  Metric refused_;
  std::array<Metric, 5> shed_;  // by reason
  Metric body_bytes_;
  Metric body_refused_;
  Metric body_dropped_;
  Metric timeouts_;
  Metric rate_limited_;
  EdgeStats told_;
  StrangerLog strangers_;
};

}  // namespace patchbay::rest_api
