// Ids that connect the log lines, events and response of a request.
#pragma once

#include <string>
#include <string_view>

namespace patchbay::rest_api {

// Whether it is 1 to 64 letters, digits, dots, dashes and underscores, which are safe in a log line.
bool is_sane_request_id(std::string_view text) noexcept;

// 16 hex digits. [any thread]
std::string make_request_id();

}  // namespace patchbay::rest_api
