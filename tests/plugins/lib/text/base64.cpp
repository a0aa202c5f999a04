#include "text/base64.h"

#include <doctest/doctest.h>

using namespace patchbay::lib;

TEST_CASE("base64 goes both ways") {
  for (size_t n = 0; n < 20; ++n) {
    std::string bytes, text, back;
    for (size_t i = 0; i < n; ++i) bytes += static_cast<char>(i * 37 + 200);
    append_base64(text, bytes.data(), bytes.size());
    CHECK(decode_base64(text, back));
    CHECK(back == bytes);
  }
  std::string out;
  CHECK(decode_base64("-_8", out));
  CHECK(out == "\xfb\xff");
  CHECK(!decode_base64("A", out));
  CHECK(!decode_base64("AA*A", out));
  CHECK(!decode_base64("AA=A", out));
}
