// Media loops and ports of plugins, in a whole core.
#include <doctest/doctest.h>
#include <patchbay/audio.h>
#include <patchbay/bus.h>
#include <patchbay/descriptor.h>
#include <patchbay/media_loop.h>
#include <patchbay/plugin.h>
#include <patchbay/strand.h>
#include <sys/eventfd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <string>
#include <thread>

#include "support/linked_plugin.h"
#include "support/promise.h"
#include "support/test_server.h"
#include "support/within.h"

namespace {

using namespace patchbay;
using patchbay::test::LinkedPlugin;
using patchbay::test::Promise;
using patchbay::test::TestServer;

std::atomic<bool> gone{false};  // the owner of the port is destroyed
std::atomic<int> pulled{0};
std::atomic<int> pulled_late{0};
std::atomic<bool> hold{false};  // the port blocks in pull
std::atomic<uint64_t> port_handle{0};

struct Tone final : AudioPort {
  uint32_t pull_rate_hz() const noexcept override { return 8000; }
  uint32_t push_rate_hz() const noexcept override { return 0; }
  void pull(pb_frame& out) override {
    ++pulled;
    if (gone) ++pulled_late;
    while (hold) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    out.samples = out.capacity;
  }
  void push(const pb_frame&) override {}
};

// Makes a port and never closes it.
struct Owner final : Plugin {
  static constexpr char manifest[] = R"({"id": "owner", "version": "1.0.0", "requires": ["test.join/1"]})";
  static constexpr char store_sql[] = "";
  Status start(const Config&) override {
    port_handle = tone_.open(host()).id;
    return {};
  }
  ~Owner() override {
    gone = true;
    std::this_thread::sleep_for(std::chrono::milliseconds(60));  // ticks go on meanwhile
  }
  Tone tone_;
};

struct Joiner;
Joiner* joiner = nullptr;

// Pulls from the port in each tick, as the plugin media does.
struct Joiner final : Plugin {
  static constexpr char manifest[] = R"({"id": "joiner", "version": "1.0.0", "provides": ["test.join/1"]})";
  static constexpr char store_sql[] = "";
  Status start(const Config&) override {
    joiner = this;
    return {};
  }
  void join() {
    post(host(), kMainStrand, [this] {
      opening_ = host().media->port_open(host().self, port_handle, &table_, &self_);
      if (opening_ == 0) return;
      attachment_ = host().media->attach(host().self, 0, &Joiner::tick, this);
    });
  }
  static void tick(void* raw, const pb_tick* tick) noexcept {
    auto& self = *static_cast<Joiner*>(raw);
    if (self.ticks_++ == 0) self.table_->attached(self.self_, tick->loop);
    std::array<int16_t, 160> pcm{};
    pb_frame frame{};
    frame.size = sizeof frame;
    frame.capacity = 160;
    frame.pcm = pcm.data();
    self.table_->pull(self.self_, &frame);
    if ((frame.flags & PB_FRAME_SILENCE) != 0) ++self.silent_;
  }
  void stop(Done done) override {
    if (attachment_ == 0) return done();
    ended_ = std::make_unique<Done>(std::move(done));
    host().media->detach(
        host().self, attachment_,
        [](void* raw) noexcept {
          auto& self = *static_cast<Joiner*>(raw);
          self.host().media->port_release(self.host().self, self.opening_);  // on the loop
          self.host().runtime->strand_post(
              self.host().self, kMainStrand,
              [](void* user) noexcept {
                const auto ended = std::move(static_cast<Joiner*>(user)->ended_);
                (*ended)();
              },
              raw);
        },
        this);
  }
  const pb_port* table_ = nullptr;
  void* self_ = nullptr;
  uint64_t opening_ = 0;
  uint64_t attachment_ = 0;
  std::atomic<int> ticks_{0};
  std::atomic<int> silent_{0};
  std::unique_ptr<Done> ended_;
};

// Watches a descriptor that stays readable, and runs a timer, on a media loop; closes neither.
struct Watcher final : Plugin {
  static constexpr char manifest[] = R"({"id": "watcher", "version": "1.0.0"})";
  static constexpr char store_sql[] = "";
  static inline std::atomic<int> ready{0}, due{0}, posted{0}, late{0};

  Status start(const Config&) override {
    PB_TRY(watch_.open<&Watcher::on_ready>(event_.get(), *this));
    PB_TRY(timer_.open<&Watcher::on_due>(*this));
    return post_to_loop<&Watcher::on_loop>(host(), 0, *this) == Code::ok ? Status()
                                                                         : Status(Code::failed, "no post");
  }
  ~Watcher() override {
    gone = true;
    std::this_thread::sleep_for(std::chrono::milliseconds(30));  // the descriptor is readable meanwhile
  }
  void on_loop() {
    count(posted);
    static_cast<void>(watch_.set(PB_READY_READ));
    static_cast<void>(timer_.set(1));
  }
  void on_ready(const pb_ready&) { count(ready); }
  void on_due(const pb_tick& tick) {
    count(due);
    static_cast<void>(timer_.set(tick.time_ns + 1'000'000));
    static_cast<void>(post_to_loop<&Watcher::on_post>(host(), 0, *this));
  }
  void on_post() { count(posted); }
  static void count(std::atomic<int>& calls) {
    ++calls;
    if (gone) ++late;
  }

  const Descriptor event_{::eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK)};
  LoopWatch watch_{host()};
  LoopTimer timer_{host()};
};

// Publishes under a topic that is allowed and under one of the core's.
struct TopicPlugin final : Plugin {
  static constexpr char manifest[] = R"({"id": "topics", "version": "1.0.0"})";
  static constexpr char store_sql[] = "";
  static inline std::atomic<int32_t> own{1}, cores{1};
  Status start(const Config&) override {
    pb_event event{};
    event.size = sizeof event;
    event.topic = to_abi("topics.said");
    own = host().bus->publish(host().self, &event);
    event.topic = to_abi("core.bus.dropped");
    cores = host().bus->publish(host().self, &event);
    return {};
  }
};

constexpr const char* kBoth = "plugins: {joiner: {}, owner: {}}\ntenants: {localhost: {}}\n";

void reset() {
  gone = false;
  pulled = 0;
  pulled_late = 0;
  hold = false;
}

}  // namespace

TEST_CASE("a port that is still joined is silence once its plugin is destroyed, and its code is not called") {
  reset();
  TestServer server(kBoth, nullptr, {&LinkedPlugin<Owner>::entry, &LinkedPlugin<Joiner>::entry});
  REQUIRE(server.start_error() == "");
  joiner->join();
  REQUIRE(within(std::chrono::seconds(60), [] { return pulled > 3; }));
  const std::string metrics = server.core().report("metrics");
  CHECK(metrics.find("patchbay_media_loop_ports{loop=\"0\"} 1") != std::string::npos);
  CHECK(metrics.find("patchbay_media_ticks_total{loop=\"0\"}") != std::string::npos);
  CHECK(server.core().stop().ok());  // the owner goes first
  CHECK(gone);
  CHECK(pulled_late == 0);
  CHECK(server.log().find("1 port") != std::string::npos);
}

TEST_CASE("a descriptor and a timer on a media loop do not call a plugin that is destroyed, nor do posts") {
  reset();
  TestServer server("plugins: {watcher: {}}\ntenants: {localhost: {}}\n", nullptr,
                    {&LinkedPlugin<Watcher>::entry});
  REQUIRE(server.start_error() == "");
  CHECK(within(std::chrono::seconds(60),
               [] { return Watcher::ready > 100 && Watcher::due > 5 && Watcher::posted > 5; }));
  CHECK(server.core().stop().ok());
  CHECK(gone);
  CHECK(Watcher::late == 0);
  CHECK(server.log().find("1 media watch, 1 media timer") != std::string::npos);
}

TEST_CASE("a port that blocks a media loop is logged with its plugin, and counted") {
  reset();
  TestServer server(kBoth, nullptr, {&LinkedPlugin<Owner>::entry, &LinkedPlugin<Joiner>::entry}, {},
                    [](CoreOptions& options) { options.stall_ms = 80; });
  REQUIRE(server.start_error() == "");
  hold = true;
  joiner->join();
  CHECK(within(std::chrono::seconds(60),
               [&] { return server.log().find("a plugin holds a media loop") != std::string::npos; }));
  CHECK(server.log().find("plugin=owner") != std::string::npos);
  CHECK(within(std::chrono::seconds(60), [&] {
    const std::string metrics = server.core().report("metrics");
    return metrics.find("patchbay_media_stalls_total ") != std::string::npos &&
           metrics.find("patchbay_media_stalled_loops 1") != std::string::npos;
  }));
  hold = false;
  CHECK(within(std::chrono::seconds(60), [&] {
    return server.core().report("metrics").find("patchbay_media_stalled_loops 0") != std::string::npos;
  }));
}

TEST_CASE("no plugin may publish topics of the core, and the metrics include those of the core") {
  TestServer server("plugins: {topics: {}}\ntenants: {localhost: {}}\n", nullptr,
                    {&LinkedPlugin<TopicPlugin>::entry});
  CHECK(TopicPlugin::own == PB_OK);
  CHECK(TopicPlugin::cores == PB_E_DENIED);
  const std::string metrics = server.core().report("metrics");
  for (const char* name :
       {"patchbay_core_uptime_seconds ", "patchbay_core_strands_busy ", "patchbay_core_strands_waiting ",
        "patchbay_core_executor_threads ", "patchbay_core_worker_jobs_waiting ",
        "patchbay_core_worker_jobs_running ", "patchbay_core_timers ",
        "patchbay_core_stalled_threads{plugin=\"topics\"} 0",
        "patchbay_core_stalls_total{plugin=\"topics\"} 0", "patchbay_core_posts_waiting{plugin=\"topics\"} ",
        "patchbay_core_posts_refused_total{plugin=\"topics\"} 0",
        "patchbay_core_calls_waiting{plugin=\"topics\"} 0", "patchbay_media_ticks_late_total{loop=\"0\"}",
        "patchbay_media_ticks_skipped_total{loop=\"0\"}", "patchbay_media_tick_max_late_seconds{loop=\"0\"}",
        "patchbay_media_busy_seconds_total{loop=\"0\"}", "patchbay_media_attached{loop=\"0\"}",
        "patchbay_media_ports 0", "patchbay_media_stalls_total 0"}) {
    CAPTURE(name);
    CHECK(metrics.find(name) != std::string::npos);
  }
}
