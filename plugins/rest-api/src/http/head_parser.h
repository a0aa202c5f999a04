// Parses the head of a request strictly: with Beast, and then with the checks of RFC 9112 and of our limits
// that Beast lacks. Includes nothing of Beast.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "exchange.h"
#include "head_reader.h"

namespace patchbay::rest_api {

// The views point into the parsed head.
struct Head {
  Method method = Method::other;
  std::string_view method_text;
  std::string_view path;   // origin-form without the query; "*" for OPTIONS *
  std::string_view query;  // without "?"
  std::vector<Field> fields;
  std::string host;  // lower case, no port, no trailing dot
  std::optional<uint64_t> content_length;
  bool http_1_0 = false;
  bool chunked = false;
  bool keep_alive = true;
  bool expects_continue = false;
  bool upgrade_websocket = false;
  bool content_coded = false;
};

// `head` has passed HeadReader and ends with its empty line. More than `max_fields` header fields are an
// error. Converts field names to lower case in place.
std::optional<HeadError> parse_head(char* head, size_t length, size_t max_fields, Head& out);

}  // namespace patchbay::rest_api
