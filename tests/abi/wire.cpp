// The encoding between server and isolated plugin: what is sent arrives, and invalid data is refused.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <patchbay/buffer.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>

#include "callee-plugin/callee.h"
#include "isolation/media/ring.h"
#include "isolation/services/interface_wire.h"
#include "isolation/services/message_wire.h"

namespace {

using namespace patchbay;
using namespace patchbay::core::isolation;
using callee::Say;

const pb_shape& shape = detail::Shape<Say>::shape;

struct Same final : HandleTranslator {
  uint64_t outgoing(uint64_t handle) override { return handle; }
  uint64_t incoming(uint64_t handle) override { return handle; }
} same;

std::string encoded(const Say& say) {
  const Packed<Say> packed(say);
  Encoder out(Kind::call);
  put_message(out, shape, packed.get(), same);
  return out.frame();
}

Say decoded(const std::string& frame, bool& ok) {
  Decoder in(frame);
  in.kind();
  const OwnedMessage message = get_message(in, shape, same);
  ok = in.ok();
  return unpack<Say>(message.get());
}

pb_frame frame_in(std::array<int16_t, kMaxSamples>& pcm, uint32_t samples) {
  pb_frame frame{};
  frame.size = sizeof frame;
  frame.samples = samples;
  frame.capacity = 320;
  frame.pcm = pcm.data();
  return frame;
}

}  // namespace

TEST_CASE("a decoded message owns its strings and buffers") {
  const std::string frame = encoded({"text", -7, 0.5, true, Buffer::copy("bytes"), Handle{9}});
  bool ok = false;
  const Say say = decoded(frame, ok);
  CHECK(ok);
  CHECK(say.text == "text");
  CHECK(say.number == -7);
  CHECK(say.ratio == 0.5);
  CHECK(say.loud);
  CHECK(say.bytes.view() == "bytes");
  CHECK(say.listener.id == 9);
}

TEST_CASE("a truncated frame is refused") {
  const std::string whole = encoded({"text", -7, 0.5, true, Buffer::copy("bytes"), Handle{9}});
  for (size_t size = 0; size < whole.size(); ++size) {
    bool ok = true;
    decoded(whole.substr(0, size), ok);
    CHECK(!ok);
  }
}

TEST_CASE("changing any byte of a frame causes no crash") {
  const std::string whole = encoded({"text", -7, 0.5, true, Buffer::copy("bytes"), Handle{9}});
  for (size_t at = 0; at < whole.size(); ++at) {
    for (const int mask : {1, 0x80, 0xff}) {
      std::string bad = whole;
      bad[at] = static_cast<char>(bad[at] ^ mask);
      bool ok = false;
      static_cast<void>(decoded(bad, ok));
    }
  }
}

TEST_CASE("an interface is decoded as a table, and one with a field outside its struct is refused") {
  const pb_interface& table = detail::InterfaceTable<callee::Callee>::table;
  Encoder out(Kind::provide);
  put_interface(out, table);
  Decoder in(out.frame());
  in.kind();
  InterfaceShare share;
  const pb_interface* arrived = get_interface(in, share).interface;
  REQUIRE(arrived != nullptr);
  CHECK(from_abi(arrived->id) == "test.callee/1");
  REQUIRE(arrived->method_count == table.method_count);
  CHECK(from_abi(arrived->methods[3]->name) == "close_port");
  CHECK(arrived->methods[0]->request->struct_size == shape.struct_size);

  pb_field outside{sizeof(pb_field), PB_FIELD_STR, 8, 0, to_abi("x")};
  const pb_field* const fields[] = {&outside};
  const pb_shape bad{sizeof(pb_shape), 16, 1, 0, fields};
  const pb_method method{sizeof(pb_method), 0, to_abi("m"), &bad, &bad};
  const pb_method* const methods[] = {&method};
  const pb_interface wrong{sizeof(pb_interface), 1, to_abi("bad/1"), methods};
  Encoder lie(Kind::provide);
  put_interface(lie, wrong);
  Decoder read(lie.frame());
  read.kind();
  CHECK(get_interface(read, share).invalid);
}

TEST_CASE("frames pass a ring in order, and a full ring refuses further ones") {
  auto ring = Ring::create();
  REQUIRE(ring.ok());
  SharedQueue& queue = (*ring)->shared().to_parent;
  std::array<int16_t, kMaxSamples> pcm{};
  for (int16_t i = 0; i < int16_t{kMaxRingFrames}; ++i) {
    pcm[0] = i;
    CHECK(queue.push(frame_in(pcm, 320)));
  }
  CHECK(!queue.push(frame_in(pcm, 320)));
  CHECK(queue.size() == kMaxRingFrames);
  for (int16_t i = 0; i < int16_t{kMaxRingFrames}; ++i) {
    pb_frame out = frame_in(pcm, 0);
    REQUIRE(queue.pop(out));
    CHECK(out.samples == 320);
    CHECK(pcm[0] == i);
  }
  pb_frame none = frame_in(pcm, 0);
  CHECK(!queue.pop(none));
}

TEST_CASE("a ring with invalid contents never returns more samples than there is room for") {
  auto ring = Ring::create();
  REQUIRE(ring.ok());
  SharedQueue& queue = (*ring)->shared().to_parent;
  std::memset(static_cast<void*>(&queue), 0xa5, sizeof queue);
  std::array<int16_t, kMaxSamples> pcm{};
  for (int i = 0; i < 20; ++i) {
    pb_frame out = frame_in(pcm, 0);
    queue.pop(out);
    CHECK(out.samples <= out.capacity);
    CHECK(queue.size() <= kMaxRingFrames);
  }
}

TEST_CASE("shared memory without seals, which its creator could shrink, is refused") {
  const int fd = ::memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  REQUIRE(fd >= 0);
  REQUIRE(::ftruncate(fd, sizeof(SharedAudio)) == 0);
  CHECK(!Ring::map(Descriptor(fd)).ok());
  CHECK(!Ring::map(Descriptor()).ok());
}
