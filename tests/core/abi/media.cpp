// What is left on the media loops of a plugin that ends without closing it.
#include <patchbay/abi/media.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <thread>

#include "core/abi/host_harness.h"

using namespace abi_test;

namespace {

// A port of plugin one, which passes frames to the sink when the test says so.
struct StreamingPort {
  static int32_t stream_to(void* self, uint32_t, pb_frame_fn sink, void* user) noexcept {
    auto& port = *static_cast<StreamingPort*>(self);
    port.user = user;
    port.sink = sink;
    return sink != nullptr ? 1 : 0;
  }
  void pass_frame() const {
    pb_frame frame{};
    frame.size = sizeof frame;
    sink.load()(user, &frame);
  }

  pb_port table{sizeof(pb_port),
                8000,
                0,
                0,
                [](void*, uint32_t) noexcept {},
                [](void*, pb_frame*) noexcept {},
                [](void*, const pb_frame*) noexcept {},
                [](void*) noexcept {},
                &stream_to,
                0,
                0};
  std::atomic<pb_frame_fn> sink{nullptr};
  void* user = nullptr;
};

// Plugin other, which has the port pass frames to it and never ends that.
struct Joiner {
  static void tick(void* self, const pb_tick*) noexcept {
    auto& joiner = *static_cast<Joiner*>(self);
    if (!joiner.has_begun.exchange(true))
      joiner.port->stream_to(
          joiner.self, PB_PORT_UNPACED,
          [](void* user, const pb_frame*) noexcept { ++static_cast<Joiner*>(user)->frames; }, self);
  }
  const pb_port* port = nullptr;
  void* self = nullptr;
  std::atomic<bool> has_begun{false};
  std::atomic<int> frames{0};
};

}  // namespace

TEST_CASE("a port does not pass frames to a plugin that has ended without ending that") {
  HostHarness harness;
  HostContext *one = &*harness.one, *other = &*harness.other;
  const pb_media& media = media_table();
  StreamingPort port;
  const uint64_t handle = media.port_create(one, &port.table, &port);
  Joiner joiner;
  REQUIRE(media.port_open(other, handle, &joiner.port, &joiner.self) != 0);
  REQUIRE(media.attach(other, 0, &Joiner::tick, &joiner) != 0);
  REQUIRE(eventually([&] { return port.sink.load() != nullptr; }));
  port.pass_frame();
  CHECK(joiner.frames == 1);
  one->suppress_callbacks();  // another plugin's end changes nothing
  REQUIRE(eventually([&] { return one->outstanding() == 0; }));
  one->cut_streams();
  port.pass_frame();
  CHECK(joiner.frames == 2);
  other->suppress_callbacks();
  REQUIRE(eventually([&] { return other->outstanding() == 0; }));
  other->cut_streams();
  REQUIRE(eventually([&] { return other->outstanding() == 0; }));
  port.pass_frame();
  CHECK(joiner.frames == 2);
}

TEST_CASE("the end of a plugin waits for the last call of a watch whose close is pending") {
  HostHarness harness;
  HostContext* one = &*harness.one;
  const pb_media& media = media_table();
  std::array<int, 2> pipe{-1, -1};
  REQUIRE(::pipe(pipe.data()) == 0);
  REQUIRE(::write(pipe[1], "x", 1) == 1);
  struct Reader {
    std::atomic<bool> is_called{false}, may_return{false};
    uint64_t watch = 0;
    HostContext* host = nullptr;
  } reader;
  reader.host = one;
  reader.watch = media.watch_open(
      one, pipe[0],
      [](void* user, const pb_ready*) noexcept {
        auto& it = *static_cast<Reader*>(user);
        it.is_called = true;
        while (!it.may_return) std::this_thread::yield();
      },
      &reader);
  REQUIRE(reader.watch != 0);
  media.loop_post(
      one, 0,
      [](void* user) noexcept {
        auto& it = *static_cast<Reader*>(user);
        media_table().watch_set(it.host, it.watch, PB_READY_READ);
      },
      &reader);
  REQUIRE(eventually([&] { return reader.is_called.load(); }));
  media.watch_close(one, reader.watch, nullptr, nullptr);  // the plugin does not wait for it
  one->suppress_callbacks();
  // Only the loop is left then, which cannot end its call.
  harness.services().runtime.wait_idle(std::chrono::seconds(60));
  CHECK(one->outstanding() > 0);
  reader.may_return = true;
  CHECK(eventually([&] { return one->outstanding() == 0; }));
  ::close(pipe[0]);
  ::close(pipe[1]);
}
