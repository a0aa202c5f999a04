// Arguments that one half puts into a frame and the other reads.
#include "isolation/argument_wire.h"

#include <doctest/doctest.h>

#include <vector>

namespace {

using namespace patchbay;
using namespace patchbay::core;
using namespace patchbay::core::isolation;

}  // namespace

TEST_CASE("a log line with more fields than are shown is cut, not refused by the server's half") {
  using Line = Arguments<uint32_t, pb_str, const pb_pair*, uint32_t>;
  const std::vector<pb_pair> fields(observe::kMaxFields + 36, pb_pair{to_abi("key"), to_abi("value")});
  Encoder out;
  Line::put(out, PB_LOG_INFO, to_abi("many"), fields.data(), static_cast<uint32_t>(fields.size()));
  Decoder in(out.frame());
  const Line line(in);
  CHECK(in.whole());
  line.call([](uint32_t level, pb_str text, const pb_pair* read, uint32_t count) {
    CHECK(level == PB_LOG_INFO);
    CHECK(from_abi(text) == "many");
    REQUIRE(count == observe::kMaxFields);
    CHECK(from_abi(read[count - 1].value) == "value");
  });
}

TEST_CASE("more values than a statement can have reach the store, which refuses them") {
  using Values = Arguments<const pb_value*, uint32_t>;
  const std::vector<pb_value> values(kMaxItems<pb_value> + 1);
  Encoder out;
  Values::put(out, values.data(), static_cast<uint32_t>(values.size()));
  Decoder in(out.frame());
  const Values read(in);
  CHECK(in.whole());
  read.call([](const pb_value*, uint32_t count) { CHECK(count == kMaxItems<pb_value>); });
}
