#include "outbound/call_cursor.h"

#include <doctest/doctest.h>

using namespace patchbay;
using namespace patchbay::ai_voice;

TEST_CASE("a cursor names the last call of a page, and is read again") {
  const std::string records =
      R"([{"callId":"oac-00000000000b","displayName":"{\"callId\":\"x","createdAtUtc":"2026-11-22T12:30:05.007Z"},)"
      R"({"callId":"oac-00000000000a","displayName":"\"createdAtUtc\":\"y","createdAtUtc":"2026-11-22T12:30:05.006Z"}])";
  const std::string cursor = cursor_after(records);
  CHECK(cursor == "1795350605006.oac-00000000000a");
  const auto position = read_cursor(cursor);
  REQUIRE(position.ok());
  CHECK(position->created_ms == 1795350605006);
  CHECK(position->call_id == "oac-00000000000a");
  CHECK_FALSE(position->is_begin());
  CHECK(cursor_after(without_last(records)) == "1795350605007.oac-00000000000b");
  CHECK(without_last(without_last(records)) == "[]");
}

TEST_CASE("no cursor is the begin, and any other text is refused") {
  CHECK(read_cursor("")->is_begin());
  for (const char* wrong : {".x", "1.", ".oac-1", "1", "-1.oac-1", "+1.oac-1", "1.OAC-1", "1.oac'1",
                            "1e3.oac-1", "1 .oac-1", "1234567890123456.oac-1", "x.oac-1", "1.oac-1.2"}) {
    CAPTURE(wrong);
    const auto read = read_cursor(wrong);
    REQUIRE_FALSE(read.ok());
    CHECK(read.error().code == Code::invalid);
    CHECK(read.error().text.find(wrong) == std::string::npos);
  }
  CHECK_FALSE(read_cursor("1." + std::string(65, 'a')).ok());
}
