// Descriptors, timers and posts on the media loop of the fake host, through the C++ layer.
#include <doctest/doctest.h>
#include <patchbay/descriptor.h>
#include <patchbay/media_loop.h>
#include <patchbay/testing/test_environment.h>
#include <sys/socket.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <vector>

using namespace patchbay;
using testing::TestEnvironment;
using testing::why;

namespace {

// A socket that is read, and a timer that repeats, on the loop.
struct LoopClient {
  explicit LoopClient(const Host& to) : host(to) {
    int both[2] = {-1, -1};
    REQUIRE(::socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0, both) == 0);
    here = Descriptor(both[0]);
    there = Descriptor(both[1]);
    REQUIRE(why(watch.open<&LoopClient::on_ready>(here.get(), *this)) == "");
    REQUIRE(why(timer.open<&LoopClient::on_due>(*this)) == "");
  }

  void send(const std::string& text) const {
    for (const char each : text) REQUIRE(::send(there.get(), &each, 1, 0) == 1);
  }
  void close() {
    watch.close([this] { timer.close([this] { is_closed = true; }); });
  }

  // [media]
  void start() {
    set = watch.set(PB_READY_READ);
    on_media = host.runtime->thread_kind(host.self) == PB_THREAD_MEDIA;
  }
  void start_timer() { set = timer.set(host.mono_ns() + 3'000'000); }
  void on_ready(const pb_ready& ready) {
    char got = 0;
    if (::recv(ready.fd, &got, 1, MSG_DONTWAIT) == 1) seen += got;
    if (got == '!') throw std::runtime_error("as told");
  }
  void on_due(const pb_tick& tick) {
    due.push_back(tick.time_ns);
    if (due.size() < 4) static_cast<void>(timer.set(tick.time_ns + 5'000'000));
  }

  const Host& host;
  Descriptor here, there;
  LoopWatch watch{host};
  LoopTimer timer{host};
  std::string seen;
  std::vector<int64_t> due;
  Code set = Code::failed;
  bool on_media = false;
  std::atomic<bool> is_closed{false};
};

}  // namespace

TEST_CASE("a socket is read on the media loop when the test settles") {
  TestEnvironment host;
  LoopClient client(host.host());
  CHECK(client.watch.set(PB_READY_READ) == Code::misuse);  // on a thread of the test
  client.send("ab");
  CHECK(post_to_loop<&LoopClient::start>(host.host(), 1, client) == Code::not_found);
  CHECK(post_to_loop<&LoopClient::start>(host.host(), 0, client) == Code::ok);
  REQUIRE(why(host.settle()) == "");
  CHECK(client.set == Code::ok);
  CHECK(client.on_media);
  CHECK(client.seen == "ab");
  client.send("cd");
  REQUIRE(why(host.advance_ms(1)) == "");
  CHECK(client.seen == "abcd");
  client.close();
  REQUIRE(why(host.settle()) == "");
  CHECK(client.is_closed);
  client.send("e");
  REQUIRE(why(host.advance_ms(100)) == "");
  CHECK(client.seen == "abcd");
  CHECK(host.problem_text() == "");
}

TEST_CASE("a media timer is due to the millisecond of the test's clock, with nothing attached") {
  TestEnvironment host;
  LoopClient client(host.host());
  const int64_t begin = host.host().mono_ns();
  CHECK(post_to_loop<&LoopClient::start_timer>(host.host(), 0, client) == Code::ok);
  REQUIRE(why(host.advance_ms(12)) == "");
  CHECK(client.due == std::vector<int64_t>{begin + 3'000'000, begin + 8'000'000});
  REQUIRE(why(host.advance_ms(100)) == "");
  CHECK(client.due.size() == 4);
  CHECK(client.due.back() == begin + 18'000'000);
  client.close();
  REQUIRE(why(host.settle()) == "");
  CHECK(client.is_closed);
}

TEST_CASE("a watch whose callback throws is logged, and does not call again") {
  TestEnvironment host;
  LoopClient client(host.host());
  client.send("!a");
  CHECK(post_to_loop<&LoopClient::start>(host.host(), 0, client) == Code::ok);
  REQUIRE(why(host.settle()) == "");
  CHECK(client.seen == "!");
  CHECK(host.logged("a callback threw an exception"));
  client.close();
  REQUIRE(why(host.settle()) == "");
  CHECK(client.is_closed);
}

namespace {

const pb_runtime* real_runtime = nullptr;
int refusals = 0;

// The queue of the strand is full for the first few posts.
int32_t post_later(void* host, uint64_t strand, pb_fn fn, void* user) noexcept {
  return refusals-- > 0 ? PB_E_EXHAUSTED : real_runtime->strand_post(host, strand, fn, user);
}

}  // namespace

TEST_CASE("a task of a media loop is closed although the queue of the main strand is full for a while") {
  TestEnvironment environment;
  Host host = environment.host();
  real_runtime = host.runtime;
  pb_runtime runtime = *host.runtime;
  runtime.strand_post = &post_later;
  host.runtime = &runtime;
  struct Counter {
    void count() { ++counted; }
    int counted = 0;
  } counter;
  LoopTask task(host);
  bool is_closed = false;
  CHECK(task.post<&Counter::count>(0, counter) == Code::ok);
  environment.run([&] {
    refusals = 3;
    task.close([&] { is_closed = true; });
  });
  CHECK(why(environment.settle()) == "");
  CHECK(counter.counted == 1);
  CHECK(is_closed);
}
