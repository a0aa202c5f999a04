#include "patchbay/buffer.h"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

using namespace patchbay;

TEST_CASE("a buffer of bytes for which there is no memory is an error, and one of no bytes is not") {
  const std::string text = "text";
  const auto copied = Buffer::try_copy(text);
  REQUIRE(copied.ok());
  CHECK(copied->view() == text);
  REQUIRE(Buffer::try_copy("").ok());
  CHECK(Buffer::try_copy("")->get() != nullptr);
  // Refused before it is read, because a buffer's size has 32 bits.
  const auto refused = Buffer::try_copy(std::string_view(text.data(), size_t{5} << 30));
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == Code::exhausted);
}
