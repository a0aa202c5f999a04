#include "isolation/services/message_wire.h"

#include <doctest/doctest.h>
#include <patchbay/buffer.h>

#include <string>

#include "abi/callee-plugin/callee.h"

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
