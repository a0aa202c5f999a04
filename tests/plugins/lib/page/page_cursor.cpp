#include "page/page_cursor.h"

#include <doctest/doctest.h>

using namespace patchbay;
using namespace patchbay::lib;

namespace {

constexpr CursorMembers kMembers{"callId", "createdAtUtc", "callId"};
constexpr char kTwo[] =
    R"([{"callId":"oac-00000000000b","displayName":"{\"callId\":\"x","createdAtUtc":"2026-11-22T12:30:05.007Z"},)"
    R"({"callId":"oac-00000000000a","displayName":"\"createdAtUtc\":\"y","createdAtUtc":"2026-11-22T12:30:05.006Z"}])";

std::string text_of(const JsonPage& page) { return std::string(page.items.view()); }

}  // namespace

TEST_CASE("a cursor names the last row of a page, and is read again") {
  const JsonPage first = json_page(Buffer::copy(kTwo), {2, true}, 2, kMembers);
  CHECK(text_of(first) == kTwo);
  CHECK(first.next_cursor == "1795350605006.oac-00000000000a");
  const auto position = read_page_cursor(first.next_cursor);
  REQUIRE(position.ok());
  CHECK(position->time_ms == 1795350605006);
  CHECK(position->id == "oac-00000000000a");
  CHECK_FALSE(position->is_begin());
  CHECK(page_cursor(*position) == first.next_cursor);
}

TEST_CASE("a page after a cursor is read with one row more, which is not part of it") {
  const PagePosition after{5, "oac-1"};
  CHECK(rows_to_read(after, 1) == 2);
  const JsonPage page = json_page(Buffer::copy(kTwo), page_end(after, 2, 1, 0, 9), 2, kMembers);
  CHECK(text_of(page).find("00000000000a") == std::string::npos);
  CHECK(text_of(page).ends_with("}]"));
  CHECK(page.next_cursor == "1795350605007.oac-00000000000b");
  CHECK(json_page(Buffer::copy(kTwo), page_end(after, 2, 2, 0, 9), 2, kMembers).next_cursor == "");
}

TEST_CASE("the first page has a cursor when it is full and is not all") {
  CHECK(rows_to_read({}, 2) == 2);
  CHECK(page_end({}, 2, 2, 0, 3).has_next);
  CHECK_FALSE(page_end({}, 2, 2, 0, 2).has_next);
  CHECK_FALSE(page_end({}, 1, 2, 0, 9).has_next);
  CHECK_FALSE(page_end({}, 2, 2, 7, 9).has_next);
  CHECK_FALSE(page_end({}, 0, 0, 0, 9).has_next);
  CHECK(json_page(Buffer::copy("[]"), {0, true}, 0, kMembers).next_cursor == "");
}

TEST_CASE("no cursor is the begin, and any other text is refused") {
  CHECK(read_page_cursor("")->is_begin());
  CHECK(read_page_cursor("1.oac-1_X-2.json").ok());
  for (const char* wrong : {".x", "1.", ".oac-1", "1", "-1.oac-1", "+1.oac-1", "1.oac'1", "1.oac 1",
                            "1e3.oac-1", "1 .oac-1", "1234567890123456.oac-1", "x.oac-1"}) {
    CAPTURE(wrong);
    const auto read = read_page_cursor(wrong);
    REQUIRE_FALSE(read.ok());
    CHECK(read.error().code == Code::invalid);
    CHECK(read.error().text.find(wrong) == std::string::npos);
  }
  CHECK_FALSE(read_page_cursor("1." + std::string(101, 'a')).ok());
}
