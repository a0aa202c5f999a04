// The HTML of shared transcripts. No script; one inline style, which the Content-Security-Policy allows by
// its hash. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

#include "shares/public_transcript.h"

namespace patchbay::transcripts {

std::string share_page(const PublicTranscript& transcript, int64_t expires_ms);
// A page with a heading and one sentence, for links that cannot be shown.
std::string notice_page(std::string_view heading, std::string_view text);

// The Content-Security-Policy of these pages.
std::string page_security_policy();

}  // namespace patchbay::transcripts
