#include "file_name.h"

#include <doctest/doctest.h>

using namespace patchbay::transcripts;

TEST_CASE("names of transcripts cannot leave their folder") {
  for (const char* id : {"", ".", "..", "../x", "a/b", "a\\b", "-a", "_a", "a.b", "a b", "a%2f", "a\n"})
    CHECK_FALSE(is_call_id(id));
  CHECK_FALSE(is_call_id(std::string_view("a\0b", 3)));
  CHECK_FALSE(is_call_id(std::string(65, 'a')));
  for (const char* id : {"oac-0123456789ab", "vnum-0123456789ab", "A_1"}) CHECK(is_call_id(id));

  for (const char* tenant : {"", ".", "..", ".hidden", "a..b", "a/b", "A.example", "a b", "-x", "a\\b"})
    CHECK_FALSE(is_tenant(tenant));
  CHECK_FALSE(is_tenant(std::string(254, 'a')));
  for (const char* tenant : {"localhost", "voice.example.com", "10.0.0.1", "x_1.example"})
    CHECK(is_tenant(tenant));
}

TEST_CASE("each further attempt has its own file") {
  CHECK(file_name("oac-0123456789ab", 1) == "oac-0123456789ab.json");
  CHECK(file_name("oac-0123456789ab", 2) == "oac-0123456789ab-2.json");
}
