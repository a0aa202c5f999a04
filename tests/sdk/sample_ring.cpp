#include <doctest/doctest.h>
#include <patchbay/sample_ring.h>

#include <thread>
#include <vector>

using namespace patchbay;

TEST_CASE("samples leave a ring in their order, across the end of its memory") {
  SampleRing ring(5);
  int16_t next = 0, expected = 0;
  for (int round = 0; round < 20; ++round) {
    const int16_t in[3] = {next, static_cast<int16_t>(next + 1), static_cast<int16_t>(next + 2)};
    CHECK(ring.write(in, 3) == 3);
    next = static_cast<int16_t>(next + 3);
    int16_t out[4] = {};
    REQUIRE(ring.read(out, 4) == 3);
    for (int i = 0; i < 3; ++i) CHECK(out[i] == expected++);
  }
  CHECK(ring.size() == 0);
  CHECK(ring.dropped() == 0);
}

TEST_CASE("a full ring keeps what it has and counts the rest") {
  SampleRing ring(4);
  const int16_t in[6] = {1, 2, 3, 4, 5, 6};
  CHECK(ring.write(in, 6) == 4);
  CHECK(ring.write(in, 1) == 0);
  CHECK(ring.dropped() == 3);
  int16_t out[6] = {};
  CHECK(ring.read(out, 6) == 4);
  CHECK(out[3] == 4);
  ring.write(in, 2);
  ring.clear();
  CHECK(ring.size() == 0);
  CHECK(ring.read(out, 6) == 0);
  SampleRing none(0);
  CHECK(none.write(in, 1) == 0);
  CHECK(none.read(out, 1) == 0);
}

TEST_CASE("one thread writes and another reads, and no sample is lost or changed") {
  constexpr size_t kCount = 300'000;
  SampleRing ring(331);
  std::thread writer([&] {
    int16_t value = 0;
    for (size_t sent = 0; sent < kCount;) {
      const size_t taken = ring.write(&value, 1);
      if (taken == 0) std::this_thread::yield();
      value = static_cast<int16_t>(value + static_cast<int16_t>(taken));
      sent += taken;
    }
  });
  size_t wrong = 0;
  int16_t expected = 0;
  std::vector<int16_t> part(97);
  for (size_t got = 0; got < kCount;) {
    const size_t taken = ring.read(part.data(), part.size());
    if (taken == 0) std::this_thread::yield();
    for (size_t i = 0; i < taken; ++i) {
      if (part[i] != expected) ++wrong;
      expected = static_cast<int16_t>(expected + 1);
    }
    got += taken;
  }
  writer.join();
  CHECK(wrong == 0);
}
