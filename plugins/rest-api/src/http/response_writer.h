// Serialises responses.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "exchange.h"
#include "output_queue.h"

namespace patchbay::rest_api {

struct ResponseOptions {
  bool head_only = false;  // the response to HEAD
  bool close = false;      // the last response of its connection
  bool upgrade = false;    // allows 101: the client asked for a WebSocket
  std::string_view date;   // RFC 9110 5.6.7
  std::string_view request_id = {};
  uint32_t hsts_sec = 0;  // 0: no Strict-Transport-Security
};

// Appends the whole response. An invalid one (a bad status, a line break in a header) becomes a 500. `share`
// is that of its body; released once the body is written.
void append_response(OutputQueue& output, Response response, BodyBudget::Share share,
                     const ResponseOptions& options);

}  // namespace patchbay::rest_api
