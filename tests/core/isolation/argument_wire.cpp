// Arguments that one half puts into a frame and the other reads.
#include "isolation/argument_wire.h"

#include <doctest/doctest.h>
#include <sys/mman.h>

#include <cstdint>
#include <cstring>
#include <string_view>
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

TEST_CASE("a field that an older header's struct does not have is read as 0") {
  using One = Arguments<const pb_event*>;
  pb_event event{};
  event.size = offsetof(pb_event, tenant_seq);
  event.id = 7;
  event.tenant_seq = 8;  // the memory behind the older struct
  Encoder out;
  One::put(out, &event);
  Decoder in(out.frame());
  const One read(in);
  CHECK(in.whole());
  read.call([](const pb_event* got) {
    CHECK(got->size == sizeof(pb_event));
    CHECK(got->id == 7);
    CHECK(got->tenant_seq == 0);
  });
}

TEST_CASE("a buffer that is NULL arrives as NULL, and an empty one as empty") {
  using Buffers = Arguments<pb_buf*, pb_buf*, pb_buf*>;
  const Buffer empty = Buffer::copy(""), full = Buffer::copy("[1]");
  Encoder out;
  Buffers::put(out, nullptr, empty.get(), full.get());
  Decoder in(out.frame());
  const Buffers read(in);
  CHECK(in.whole());
  read.call([](const pb_buf* none, const pb_buf* nothing, const pb_buf* something) {
    CHECK(none == nullptr);
    REQUIRE(nothing != nullptr);
    CHECK(nothing->len == 0);
    REQUIRE(something != nullptr);
    CHECK(Buffer::share(const_cast<pb_buf*>(something)).view() == "[1]");
  });
}

TEST_CASE("a buffer that cannot be copied makes the arguments unreadable") {
  // A frame with a buffer of 4 GiB, which is never touched.
  const uint64_t size = uint64_t{UINT32_MAX} + 1;
  const Encoder head = std::move(Encoder().u32(1).u64(size));
  const size_t bytes = head.frame().size() + size;
  void* memory =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  REQUIRE(memory != MAP_FAILED);
  std::memcpy(memory, head.frame().data(), head.frame().size());
  Decoder in(std::string_view(static_cast<const char*>(memory), bytes));
  const Arguments<pb_buf*> read(in);
  CHECK_FALSE(in.ok());
  ::munmap(memory, bytes);
}
