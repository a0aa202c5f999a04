#include "isolation/media/ring.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cstring>

using namespace patchbay;
using namespace patchbay::core::isolation;

namespace {

pb_frame frame_in(std::array<int16_t, kMaxSamples>& pcm, uint32_t samples) {
  pb_frame frame{};
  frame.size = sizeof frame;
  frame.samples = samples;
  frame.capacity = 320;
  frame.pcm = pcm.data();
  return frame;
}

}  // namespace

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
