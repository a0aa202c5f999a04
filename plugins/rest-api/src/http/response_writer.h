// Answers as octets: the one place where a status line is written.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "exchange.h"

namespace patchbay::rest_api {

struct ResponseForm {
  bool head_only = false;  // the answer to HEAD
  bool close = false;      // the last answer of its connection
  bool upgrade = false;    // 101 is allowed: the client asked to switch to WebSocket
  std::string_view date;   // RFC 9110 5.6.7
  std::string_view request_id = {};
  uint32_t hsts_sec = 0;  // 0: no Strict-Transport-Security
};

// Appends the whole answer. What the handler got wrong (a bad status, a line break in a header) becomes a
// 500.
void append_response(std::string& out, const Response& response, const ResponseForm& form);

}  // namespace patchbay::rest_api
