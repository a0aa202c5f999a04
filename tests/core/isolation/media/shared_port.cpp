// The server's half of a port, whose child is played by the test.
#include "isolation/media/shared_port.h"

#include <doctest/doctest.h>
#include <patchbay/media_loop.h>
#include <patchbay/testing/test_environment.h>

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

using namespace patchbay;
using namespace patchbay::core::isolation;

namespace {

// A port that is joined on the loop of the fake host.
struct JoinedPort {
  explicit JoinedPort(uint32_t stream_flags) : host(environment.host()) {
    auto made_ring = Ring::create();
    REQUIRE(made_ring);
    child_ring = *std::move(made_ring);
    auto made_bell = Bell::create(child_ring->fd());
    REQUIRE(made_bell);
    child_bell.emplace(std::move(made_bell->first));
    auto accepted = Bell::accept(std::move(made_bell->second));
    REQUIRE(accepted);
    auto ring = Ring::map(accepted->second);
    REQUIRE(ring);
    port = std::make_unique<SharedPort>(host, *std::move(ring), std::move(accepted->first),
                                        PortKind{8000, 8000, PB_PORT_UNPACED, true});
    handle = port->open();
    opening = host.media->port_open(host.self, handle, &table, &self);
    REQUIRE(opening != 0);
    on_loop([&] {
      table->attached(self, 0);
      streams = table->stream_to(self, stream_flags, &JoinedPort::take, this) != 0;
    });
  }
  JoinedPort(const JoinedPort&) = delete;
  JoinedPort& operator=(const JoinedPort&) = delete;
  ~JoinedPort() {
    on_loop([&] {
      table->stream_to(self, 0, nullptr, nullptr);
      table->detached(self);
    });
    host.media->port_release(host.self, opening);
    port->close_bell();
    bool is_closed = false;
    host.media->port_close(
        host.self, handle, [](void* user) noexcept { *static_cast<bool*>(user) = true; }, &is_closed);
    static_cast<void>(environment.settle());
    CHECK(is_closed);
    SharedPort::end(std::move(port));
    static_cast<void>(environment.settle());
  }

  void on_loop(std::function<void()> f) {
    work = std::move(f);
    REQUIRE(post_to_loop<&JoinedPort::run>(host, 0, *this) == Code::ok);
    static_cast<void>(environment.settle());
  }
  void run() { work(); }
  static void take(void* user, const pb_frame* frame) noexcept {
    static_cast<JoinedPort*>(user)->taken.push_back(frame->pcm[0]);
  }

  // As the child: a frame with this number, and the bell.
  void pass(int16_t number, bool early = true) {
    std::array<int16_t, 160> pcm{};
    pcm[0] = number;
    pb_frame frame{};
    frame.size = sizeof frame;
    frame.flags = early ? kEarlyFrame : 0;
    frame.samples = frame.capacity = 160;
    frame.pcm = pcm.data();
    child_ring->shared().to_parent.push(frame);
    ring();
  }
  void ring() {
    child_ring->shared().rung_at_parent = 0;  // also when it was not answered
    child_bell->ring(child_ring->shared().rung_at_parent);
    static_cast<void>(environment.settle());
  }
  // What a tick pulls: the number, or -1 for silence.
  int pull() {
    int16_t pcm[160];
    int number = -1;
    on_loop([&] {
      pb_frame frame{};
      frame.size = sizeof frame;
      frame.rate_hz = 8000;
      frame.capacity = 160;
      frame.pcm = pcm;
      table->pull(self, &frame);
      if ((frame.flags & PB_FRAME_SILENCE) == 0) number = pcm[0];
    });
    return number;
  }

  testing::TestEnvironment environment;
  const Host& host;
  std::unique_ptr<Ring> child_ring;
  std::optional<Bell> child_bell;
  std::unique_ptr<SharedPort> port;
  uint64_t handle = 0, opening = 0;
  const pb_port* table = nullptr;
  void* self = nullptr;
  bool streams = false;
  std::function<void()> work;
  std::vector<int> taken;
};

}  // namespace

TEST_CASE("frames that a child passes to a port without a playout clock come at once, in order") {
  JoinedPort joined(PB_PORT_UNPACED);
  CHECK(joined.streams);
  CHECK(joined.child_ring->shared().streams == PB_PORT_UNPACED);
  joined.pass(1);
  CHECK(joined.taken == std::vector<int>{1});
  joined.pass(2);
  joined.pass(3);
  CHECK(joined.taken == std::vector<int>{1, 2, 3});
  CHECK(joined.pull() == -1);
}

TEST_CASE("a child that rings and passes frames without end is heard so often per tick") {
  JoinedPort joined(PB_PORT_UNPACED);
  for (int16_t i = 0; i < 500; ++i) joined.pass(i);
  CHECK(joined.taken.size() == kMaxRingFrames);
  CHECK(joined.pull() == -1);  // those that waited in the ring
  CHECK(joined.taken.size() == 2 * kMaxRingFrames);
  CHECK(joined.pull() == -1);
  joined.pass(7);
  CHECK(joined.taken.back() == 7);
}

TEST_CASE("the first frame of an answer comes at once, the others with the ticks") {
  JoinedPort joined(PB_PORT_EARLY);
  CHECK(joined.pull() == -1);
  joined.pass(1);
  CHECK(joined.taken == std::vector<int>{1});
  joined.pass(2);  // no second one before silence
  joined.pass(3, false);
  CHECK(joined.taken.size() == 1);
  CHECK(joined.pull() == 2);
  CHECK(joined.pull() == 3);
  CHECK(joined.pull() == -1);
  joined.pass(4, false);  // pulled ahead, so it waits for its tick
  joined.pass(5);
  CHECK(joined.taken.size() == 1);
  CHECK(joined.pull() == 4);
  CHECK(joined.pull() == 5);
  CHECK(joined.pull() == -1);
  joined.pass(6);
  CHECK(joined.taken == std::vector<int>{1, 6});
}

TEST_CASE("a child whose process has ended is silence") {
  JoinedPort joined(PB_PORT_UNPACED);
  joined.child_bell.reset();
  static_cast<void>(joined.environment.settle());
  CHECK(joined.pull() == -1);
  CHECK(joined.pull() == -1);
  CHECK(joined.taken.empty());
}
