// Chooses between HTML and JSON by an Accept header (RFC 9110 12.5.1). Pure; any thread.
#pragma once

#include <string_view>

namespace patchbay::transcripts {

// True if the client prefers application/json to text/html. The most specific range that matches a type gives
// its weight; equal weights mean HTML, so a browser, a missing header and "*/*" get the page. Ranges that
// cannot be read are ignored.
bool prefers_json(std::string_view accept);

}  // namespace patchbay::transcripts
