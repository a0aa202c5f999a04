// AccessLog: writes a log line for each request with a route. On the main strand.
#pragma once

#include <patchbay/log.h>

#include <cstdint>
#include <optional>
#include <string_view>

#include "anonymous_log.h"

namespace patchbay::rest_api {

class AccessLog {
 public:
  explicit AccessLog(const Host& host) : host_(&host), anonymous_(host) {}

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

 private:
  const Host* host_;
  AnonymousLog anonymous_;
};

}  // namespace patchbay::rest_api
