#include "shares/accept.h"

#include <doctest/doctest.h>

using patchbay::transcripts::prefers_json;

TEST_CASE("browsers, and clients without a preference, get the page") {
  for (const char* accept :
       {"", "*/*", "text/html", "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8",
        "text/html, application/json", "text/*, application/*", "image/png", "garbage",
        ";;,,;q=", "*/*;q=0.1", "application/json;q=0", "application/json;q=0, text/html;q=0",
        "application/json;q=0.5, */*"})
    CHECK_MESSAGE(!prefers_json(accept), accept);
}

TEST_CASE("JSON is sent to clients that prefer it") {
  for (const char* accept : {"application/json", "APPLICATION/JSON", "application/json, */*;q=0.5",
                             "application/json;charset=utf-8", "text/html;q=0.5, application/json;q=0.501",
                             " application/json ; q=1.000 , text/html ; q=0.9", "application/*",
                             "text/html;q=0, */*", "text/html;level=1;q=0.2, application/json;Q=0.3"})
    CHECK_MESSAGE(prefers_json(accept), accept);
}

TEST_CASE("a weight that is none makes its range ignored") {
  for (const char* accept : {"application/json;q=2", "application/json;q=1.5", "application/json;q=0.1234",
                             "application/json;q=-1", "application/json;q=", "application/json;q=1x"})
    CHECK_MESSAGE(!prefers_json(accept), accept);
}
