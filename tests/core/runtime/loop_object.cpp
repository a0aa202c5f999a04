// Descriptors, timers and posts on a media loop, by a manual clock and by a pool in real time.
#include "runtime/loop_object.h"

#include <doctest/doctest.h>
#include <patchbay/descriptor.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "runtime/manual_clock.h"
#include "runtime/media_loop.h"
#include "runtime/media_pool.h"
#include "support/within.h"

namespace {

using namespace patchbay::core;
using namespace std::chrono_literals;
using patchbay::Code;
using patchbay::Descriptor;

struct SocketPair {
  SocketPair() {
    int both[2] = {-1, -1};
    REQUIRE(::socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0, both) == 0);
    here = Descriptor(both[0]);
    there = Descriptor(both[1]);
  }
  void send(char what = 'x') const { REQUIRE(::send(there.get(), &what, 1, 0) == 1); }
  Descriptor here, there;
};

// Reads one datagram per call.
struct Reader final : LoopWatch {
  explicit Reader(const SocketPair& pair) : LoopWatch(pair.here.get()) {}
  void ready(uint32_t events, int64_t) noexcept override {
    seen |= events;
    char what = 0;
    if (::recv(fd(), &what, 1, MSG_DONTWAIT) == 1) got += what;
    ++calls;
    if (then) then();
  }
  void closed() noexcept override { is_closed = true; }
  std::string got;
  uint32_t seen = 0;
  std::atomic<int> calls{0};
  std::atomic<bool> is_closed{false};
  std::function<void()> then;
};

struct Alarm final : LoopTimer {
  void due(uint64_t tick, int64_t now_ns) noexcept override {
    ticks.push_back(tick);
    times.push_back(now_ns);
    ++calls;
    if (then) then();
  }
  void closed() noexcept override { is_closed = true; }
  std::vector<uint64_t> ticks;
  std::vector<int64_t> times;
  std::atomic<int> calls{0};
  std::atomic<bool> is_closed{false};
  std::function<void()> then;
};

// Runs f on a loop.
struct Posted {
  std::function<void()> f;
  std::atomic<bool> ran{false};
  static void run(void* self) {
    auto& posted = *static_cast<Posted*>(self);
    posted.f();
    posted.ran = true;
  }
};
LoopPosts posts;

void run_on(MediaLoop& loop, std::function<void()> f) {
  Posted posted{std::move(f)};
  REQUIRE(loop.post(*make_loop_post(Posted::run, &posted, posts)) == Code::ok);
  loop.run_due();
  REQUIRE(posted.ran);
}
// The same on a loop with a thread.
void run_on_thread(MediaLoop& loop, std::function<void()> f) {
  Posted posted{std::move(f)};
  REQUIRE(loop.post(*make_loop_post(Posted::run, &posted, posts)) == Code::ok);
  REQUIRE(within(60s, [&] { return posted.ran.load(); }));
}

Code watch_on(MediaLoop& loop, Reader& reader, uint32_t events) {
  Code code = Code::failed;
  run_on(loop, [&] { code = MediaLoop::current()->watch(reader, events); });
  return code;
}

}  // namespace

TEST_CASE("a watched descriptor is called while it is readable, and not once it is disarmed") {
  ManualClock clock;
  MediaLoop loop(clock);
  const SocketPair pair;
  Reader reader(pair);
  REQUIRE(watch_on(loop, reader, LoopWatch::kReadable) == Code::ok);
  loop.run_due();
  CHECK(reader.calls == 0);
  for (const char what : std::string("abc")) pair.send(what);
  for (int i = 0; i < 5; ++i) loop.run_due();
  CHECK(reader.got == "abc");
  CHECK(reader.calls == 3);
  CHECK(reader.seen == LoopWatch::kReadable);
  CHECK(watch_on(loop, reader, LoopWatch::kReadable | LoopWatch::kWritable) == Code::ok);
  CHECK((reader.seen & LoopWatch::kWritable) != 0);
  CHECK(watch_on(loop, reader, 0) == Code::ok);
  const int before = reader.calls;
  pair.send();
  loop.run_due();
  CHECK(reader.calls == before);
}

TEST_CASE("the end of a connection is reported although only reading is waited for") {
  ManualClock clock;
  MediaLoop loop(clock);
  int both[2] = {-1, -1};
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, both) == 0);
  SocketPair pair;
  pair.here = Descriptor(both[0]);
  pair.there = Descriptor(both[1]);
  Reader reader(pair);
  REQUIRE(watch_on(loop, reader, LoopWatch::kReadable) == Code::ok);
  pair.there = Descriptor();
  loop.run_due();
  CHECK((reader.seen & LoopWatch::kFailed) != 0);
}

TEST_CASE("what cannot be watched is refused, and the watch stays usable") {
  ManualClock clock;
  MediaLoop loop(clock), other(clock);
  const SocketPair pair;
  Reader reader(pair), second(pair);
  SUBCASE("a closed descriptor, an ordinary file") {
    SocketPair broken;
    broken.here = Descriptor(::dup(STDOUT_FILENO));
    Reader dead(broken);
    broken.here = Descriptor();
    CHECK(watch_on(loop, dead, LoopWatch::kReadable) == Code::invalid);
  }
  SUBCASE("two watches of one descriptor on one loop") {
    CHECK(watch_on(loop, reader, LoopWatch::kReadable) == Code::ok);
    CHECK(watch_on(loop, second, LoopWatch::kReadable) == Code::conflict);
    CHECK(watch_on(other, second, LoopWatch::kReadable) == Code::ok);
  }
  SUBCASE("a watch on two loops, until it is disarmed") {
    CHECK(watch_on(loop, reader, LoopWatch::kReadable) == Code::ok);
    CHECK(watch_on(other, reader, LoopWatch::kReadable) == Code::conflict);
    CHECK(watch_on(other, reader, 0) == Code::conflict);
    CHECK(watch_on(loop, reader, 0) == Code::ok);
    CHECK(watch_on(other, reader, LoopWatch::kReadable) == Code::ok);
    pair.send();
    loop.run_due();
    CHECK(reader.calls == 0);
    other.run_due();
    CHECK(reader.calls == 1);
  }
  SUBCASE("a closed watch") {
    reader.close();
    CHECK(reader.is_closed);
    CHECK(watch_on(loop, reader, LoopWatch::kReadable) == Code::gone);
  }
}

TEST_CASE("a due tick runs before further datagrams, and delayed ones follow it") {
  ManualClock clock;
  MediaLoop loop(clock);
  std::string order;
  loop.attach([](void* user, uint64_t, int64_t) { *static_cast<std::string*>(user) += 't'; }, &order);
  std::vector<SocketPair> pairs(8);
  std::vector<std::unique_ptr<Reader>> readers;
  for (const SocketPair& pair : pairs) {
    readers.push_back(std::make_unique<Reader>(pair));
    readers.back()->then = [&] {
      order += 'd';
      clock.advance(6ms);
    };
    REQUIRE(watch_on(loop, *readers.back(), LoopWatch::kReadable) == Code::ok);
    pair.send();
  }
  for (int i = 0; i < 8; ++i) loop.run_due();
  CHECK(order == "ddddtdddtd");  // after 24 and 42 ms
  CHECK(loop.stats().max_late_ns <= 8'000'000);
  CHECK(loop.stats().skipped == 0);
}

TEST_CASE("one descriptor that is always readable does not keep others, timers or posts from being called") {
  ManualClock clock;
  MediaLoop loop(clock);
  const SocketPair noisy, quiet;
  Reader flood(noisy), reader(quiet);
  flood.then = [&] { noisy.send(); };
  Alarm alarm;
  REQUIRE(watch_on(loop, flood, LoopWatch::kReadable) == Code::ok);
  REQUIRE(watch_on(loop, reader, LoopWatch::kReadable) == Code::ok);
  noisy.send();
  for (int i = 0; i < 100; ++i) loop.run_due();
  CHECK(flood.calls > 90);
  quiet.send('q');
  run_on(loop, [&] { MediaLoop::current()->set_timer(alarm, clock.now_ns() + 1'000'000); });
  clock.advance(1ms);
  loop.run_due();
  loop.run_due();
  CHECK(reader.got == "q");
  CHECK(alarm.calls == 1);
}

TEST_CASE("a watch may disarm or close itself and others in its call") {
  ManualClock clock;
  MediaLoop loop(clock);
  const SocketPair a, b;
  auto first = std::make_unique<Reader>(a), second = std::make_unique<Reader>(b);
  REQUIRE(watch_on(loop, *first, LoopWatch::kReadable) == Code::ok);
  REQUIRE(watch_on(loop, *second, LoopWatch::kReadable) == Code::ok);
  a.send();
  b.send();
  SUBCASE("disarm and free the other, which is ready in the same batch") {
    const auto end = [&](std::unique_ptr<Reader>& other) {
      CHECK(MediaLoop::current()->watch(*other, 0) == Code::ok);
      other->close();
      CHECK(other->is_closed);
      other.reset();
    };
    first->then = [&] { end(second); };
    second->then = [&] { end(first); };
    loop.run_due();
    CHECK((first == nullptr) != (second == nullptr));
  }
  SUBCASE("close both") {
    first->then = second->then = [&] {
      first->close();
      second->close();
      CHECK_FALSE(first->is_closed);  // its call still runs
    };
    loop.run_due();
    CHECK(first->calls + second->calls == 1);
    loop.run_due();
    CHECK(first->is_closed);
    CHECK(second->is_closed);
  }
}

TEST_CASE("timers are called by the clock, to the millisecond, once for each time they are set") {
  ManualClock clock;
  MediaLoop loop(clock);
  Alarm alarm;
  const int64_t start = clock.now_ns();
  run_on(loop, [&] { CHECK(MediaLoop::current()->set_timer(alarm, start + 4'200'000) == Code::ok); });
  CHECK(loop.next_due_ns() == start + 5'000'000);
  CHECK_FALSE(loop.empty());
  clock.advance(4ms);
  loop.run_due();
  CHECK(alarm.calls == 0);
  clock.advance(1ms);
  loop.run_due();
  loop.run_due();
  CHECK(alarm.calls == 1);
  CHECK(alarm.times == std::vector<int64_t>{start + 5'000'000});
  CHECK(loop.next_due_ns() == INT64_MAX);
  SUBCASE("set anew in its call, also for a time that is past") {
    alarm.then = [&] { MediaLoop::current()->set_timer(alarm, start); };
    run_on(loop, [&] { MediaLoop::current()->set_timer(alarm, start); });
    for (int i = 0; i < 3; ++i) {
      clock.advance(1ms);
      loop.run_due();
    }
    CHECK(alarm.calls == 4);
  }
  SUBCASE("set to another time, or to none") {
    run_on(loop, [&] { MediaLoop::current()->set_timer(alarm, clock.now_ns() + 1'000'000); });
    run_on(loop, [&] { MediaLoop::current()->set_timer(alarm, clock.now_ns() + 3'000'000); });
    clock.advance(2ms);
    loop.run_due();
    CHECK(alarm.calls == 1);
    run_on(loop, [&] { MediaLoop::current()->set_timer(alarm, 0); });
    clock.advance(5ms);
    loop.run_due();
    CHECK(alarm.calls == 1);
    CHECK(loop.empty());
  }
  SUBCASE("closed while it is set") {
    run_on(loop, [&] { MediaLoop::current()->set_timer(alarm, clock.now_ns() + 1'000'000); });
    alarm.close();
    CHECK_FALSE(alarm.is_closed);
    clock.advance(2ms);
    loop.run_due();
    CHECK(alarm.is_closed);
    CHECK(alarm.calls == 1);
  }
}

TEST_CASE("posts run in their order, on the loop, and are refused beyond the limit and after its end") {
  ManualClock clock;
  MediaLoop loop(clock);
  static std::string order;
  order.clear();
  LoopPosts mine;
  static int marks[3] = {0, 1, 2};
  const auto note = [](void* user) {
    CHECK(MediaLoop::current() != nullptr);
    order += static_cast<char>('a' + *static_cast<int*>(user));
  };
  for (int& mark : marks) REQUIRE(loop.post(*make_loop_post(note, &mark, mine)) == Code::ok);
  CHECK(mine.waiting == 3);
  loop.run_due();
  CHECK(order == "abc");
  CHECK(mine.waiting == 0);
  CHECK(MediaLoop::current() == nullptr);
  SUBCASE("suppressed ones do not call their owner") {
    REQUIRE(loop.post(*make_loop_post(note, &marks[0], mine)) == Code::ok);
    mine.suppressed = true;
    loop.run_due();
    CHECK(order == "abc");
    CHECK(mine.waiting == 0);
  }
  SUBCASE("one owner cannot use up the pool") {
    std::vector<Task*> made;
    while (Task* task = make_loop_post(note, &marks[0], mine)) made.push_back(task);
    CHECK(made.size() == kMaxPooledPosts);
    CHECK(mine.refused == 1);
    LoopPosts of_another;
    Task* other = make_loop_post(note, &marks[1], of_another);
    REQUIRE(other != nullptr);
    discard_call(*other);
    for (Task* task : made) discard_call(*task);
    CHECK(mine.waiting == 0);
    CHECK(mine.pooled == 0);
  }
  SUBCASE("after stop()") {
    REQUIRE(loop.post(*make_loop_post(note, &marks[0], mine)) == Code::ok);
    loop.stop();
    CHECK(mine.waiting == 0);
    CHECK(loop.post(*make_loop_post(note, &marks[0], mine)) == Code::gone);
    CHECK(mine.waiting == 0);
    CHECK(order == "abc");
  }
}

TEST_CASE("objects that are still armed when the loop stops are closed at once") {
  ManualClock clock;
  MediaLoop loop(clock);
  const SocketPair pair;
  Reader reader(pair);
  Alarm alarm;
  REQUIRE(watch_on(loop, reader, LoopWatch::kReadable) == Code::ok);
  run_on(loop, [&] { MediaLoop::current()->set_timer(alarm, clock.now_ns() + 1'000'000); });
  loop.stop();
  reader.close();
  alarm.close();
  CHECK(reader.is_closed);
  CHECK(alarm.is_closed);
}

TEST_CASE("a loop in real time is woken by a datagram, a timer and a post, although nothing is attached") {
  MediaOptions options;
  options.loops = 1;
  MediaPool pool(options);
  MediaLoop& loop = pool.at(0);
  const SocketPair pair;
  Reader reader(pair);
  Alarm alarm;
  run_on_thread(loop, [&] {
    CHECK(MediaLoop::current()->watch(reader, LoopWatch::kReadable) == Code::ok);
    CHECK(MediaLoop::current()->set_timer(alarm, system_mono_clock().now_ns() + 3'000'000) == Code::ok);
  });
  for (int i = 1; i <= 20; ++i) {
    pair.send();
    REQUIRE(within(60s, [&] { return reader.calls == i; }));
  }
  REQUIRE(within(60s, [&] { return alarm.calls == 1; }));
  CHECK(loop.stats().ticks == 0);
  reader.close();
  alarm.close();
  REQUIRE(within(60s, [&] { return reader.is_closed && alarm.is_closed; }));
}

TEST_CASE("objects that move between loops and are closed meanwhile are called on one loop at a time") {
  MediaOptions options;
  options.loops = 2;
  options.realtime = false;
  MediaPool pool(options);
  for (int round = 0; round < 50; ++round) {
    const SocketPair pair;
    Reader reader(pair);
    Alarm alarm;
    std::atomic<int> inside{0};
    std::atomic<bool> twice{false};
    reader.then = [&] {
      if (inside.fetch_add(1) != 0) twice = true;
      static_cast<void>(MediaLoop::current()->watch(reader, 0));
      inside.fetch_sub(1);
    };
    std::atomic<bool> over{false};
    std::thread sender([&] {
      while (!over) static_cast<void>(::send(pair.there.get(), "x", 1, MSG_DONTWAIT));
    });
    for (int i = 0; i < 20; ++i) {
      run_on_thread(pool.at(static_cast<size_t>(i % 2)), [&] {
        static_cast<void>(MediaLoop::current()->watch(reader, LoopWatch::kReadable));
        static_cast<void>(MediaLoop::current()->set_timer(alarm, 1));
      });
    }
    reader.close();
    alarm.close();
    CHECK(within(60s, [&] { return reader.is_closed && alarm.is_closed; }));
    const int calls = reader.calls;
    CHECK_FALSE(twice);
    over = true;
    sender.join();
    CHECK(reader.calls == calls);
  }
}
