#include "engine/close_reason.h"

#include <doctest/doctest.h>

using namespace patchbay::lib;

TEST_CASE("the close of a session is described by a sentence") {
  CHECK(describe_close(403, "upgrade refused with HTTP 403") ==
        "the AI engine refused the API key (HTTP 403)");
  CHECK(describe_close(503, "x") == "the AI engine is out of order (HTTP 503)");
  CHECK(describe_close(1006, "resolve engine.example: Host not found (authoritative)") ==
        "the name of the AI engine cannot be resolved: engine.example");
  CHECK(describe_close(1006, "connect: Connection refused") ==
        "the AI engine cannot be reached (Connection refused)");
  CHECK(describe_close(1011, "close 1011 internal") == "the AI engine closed the connection (1011 internal)");
  CHECK(describe_close(1011, "the model stays silent") == "the AI engine failed: the model stays silent");
  CHECK(describe_close(1006, "") == "the AI engine closed the connection (1006)");
}
