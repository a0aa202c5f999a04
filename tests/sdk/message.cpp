#include <doctest/doctest.h>
#include <patchbay/message.h>

#include <cstring>

namespace {

using namespace patchbay;

struct Dial {
  std::string number;
  int64_t timeout_ms = 0;
  bool record = false;
  double gain = 0;
  Buffer greeting;
  Handle listener;
  PATCHBAY_FIELDS(number, timeout_ms, record, gain, greeting, listener)
};

// An older Dial, before three members were appended.
struct OldDial {
  std::string number;
  int64_t timeout_ms = 0;
  bool record = false;
  PATCHBAY_FIELDS(number, timeout_ms, record)
};

struct WithDefaults {
  std::string number;
  int64_t timeout_ms = 30000;
  bool record = true;
  double gain = 1.5;
  PATCHBAY_FIELDS(number, timeout_ms, record, gain)
};

std::string_view name_of(const pb_field& field) { return from_abi(field.name); }

}  // namespace

TEST_CASE("unpacking a packed message restores it") {
  const Dial dial{"+4930123", -5, true, 0.25, Buffer::copy("hello"), Handle{77}};
  const Dial copy = unpack<Dial>(Packed<Dial>(dial).get());
  CHECK(copy.number == "+4930123");
  CHECK(copy.timeout_ms == -5);
  CHECK(copy.record);
  CHECK(copy.gain == 0.25);
  CHECK(copy.greeting.view() == "hello");
  CHECK(copy.listener.id == 77);
}

TEST_CASE("a packed message borrows its strings and shares its buffers") {
  const Dial dial{"+4930123", 0, false, 0, Buffer::copy("hello"), {}};
  const Packed<Dial> packed(dial);
  pb_str number{};
  std::memcpy(&number, reinterpret_cast<const char*>(packed.get()) + sizeof(pb_message), sizeof number);
  CHECK(static_cast<const void*>(number.data) == static_cast<const void*>(dial.number.data()));
  CHECK(unpack<Dial>(packed.get()).greeting.get() == dial.greeting.get());
}

TEST_CASE("members that an older sender lacks get their defaults") {
  const OldDial before{"+49", 7, true};
  const Packed<OldDial> old(before);
  const Dial dial = unpack<Dial>(old.get());
  CHECK(dial.number == "+49");
  CHECK(dial.timeout_ms == 7);
  CHECK(dial.record);
  CHECK(dial.gain == 0);
  CHECK(dial.greeting.size() == 0);
  CHECK(!dial.listener);
}

TEST_CASE("members of a newer sender that are unknown are ignored") {
  const Dial after{"+49", 7, true, 0.5, Buffer::copy("new"), Handle{3}};
  const Packed<Dial> packed(after);
  const OldDial dial = unpack<OldDial>(packed.get());
  CHECK(dial.number == "+49");
  CHECK(dial.timeout_ms == 7);
  CHECK(dial.record);
}

TEST_CASE("a missing message, and members of a truncated one, give defaults") {
  const auto none = unpack<WithDefaults>(nullptr);
  CHECK(none.timeout_ms == 30000);
  const WithDefaults sent{"+49", 7, false, 0.5};
  const Packed<WithDefaults> packed(sent);
  const pb_message cut{sizeof(pb_message) + sizeof(pb_str) + 4, 0};
  std::memcpy(const_cast<pb_message*>(packed.get()), &cut, sizeof cut);
  const auto part = unpack<WithDefaults>(packed.get());
  CHECK(part.number == "+49");
  CHECK(part.timeout_ms == 30000);
  CHECK(part.record);
  CHECK(part.gain == 1.5);
}

TEST_CASE("the field table has name, kind and offset of each member") {
  const pb_shape& shape = detail::Shape<Dial>::shape;
  REQUIRE(shape.field_count == 6);
  CHECK(detail::Shape<OldDial>::shape.field_count == 3);
  CHECK(detail::Shape<WithDefaults>::shape.field_count == 4);
  CHECK(shape.struct_size == 8 + 16 + 8 + 8 + 8 + 8 + 8);
  CHECK(Packed<Dial>(Dial{}).get()->size == shape.struct_size);
  const uint32_t kinds[] = {PB_FIELD_STR,    PB_FIELD_INT, PB_FIELD_INT,
                            PB_FIELD_NUMBER, PB_FIELD_BUF, PB_FIELD_HANDLE};
  const char* names[] = {"number", "timeout_ms", "record", "gain", "greeting", "listener"};
  const uint32_t offsets[] = {8, 24, 32, 40, 48, 56};
  for (uint32_t i = 0; i < shape.field_count; ++i) {
    CHECK(shape.fields[i]->kind == kinds[i]);
    CHECK(name_of(*shape.fields[i]) == names[i]);
    CHECK(shape.fields[i]->offset == offsets[i]);
  }
}

TEST_CASE("an empty message consists of its size") {
  CHECK(detail::Shape<Empty>::shape.field_count == 0);
  CHECK(Packed<Empty>(Empty{}).get()->size == sizeof(pb_message));
}

TEST_CASE("a string may hold zero bytes and a buffer may be missing") {
  Dial dial;
  dial.number = std::string("a\0b", 3);
  const Dial copy = unpack<Dial>(Packed<Dial>(dial).get());
  CHECK(copy.number.size() == 3);
  CHECK(copy.greeting.get() == nullptr);
}
