// The id that ties a request's log lines, events and answer together.
#pragma once

#include <string>
#include <string_view>

namespace patchbay::rest_api {

// At most 64 letters, digits, dots, dashes and underscores: nothing that could break a log line.
bool is_sane_request_id(std::string_view text) noexcept;

// 16 hex digits. [any thread]
std::string make_request_id();

}  // namespace patchbay::rest_api
