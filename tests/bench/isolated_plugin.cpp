// The cost of isolation: an event to a plugin and one back, a call, a frame of audio; compared with the same
// plugin file in this process.
#include <patchbay/bus.h>
#include <patchbay/plugin.h>
#include <patchbay/service.h>
#include <patchbay/strand.h>

#include <array>
#include <cstring>
#include <functional>
#include <memory>
#include <semaphore>

#include "abi/callee-plugin/callee.h"
#include "bench/callee_server.h"
#include "bench/pairs.h"
#include "isolation/media/ring.h"

namespace {

using namespace patchbay;
using bench::die;
using callee::Callee;
using callee::Say;

constexpr int kBurst = 200, kBursts = 50, kCalls = 2000;

// A plugin in the server that calls the measured plugin.
class Asker final : public Plugin {
 public:
  static constexpr char manifest[] = R"({"id": "asker", "version": "1.0.0", "optional": ["test.callee/1"]})";
  static constexpr char store_sql[] = "";
  static inline Asker* newest = nullptr;

  Status start(const Config&) override {
    service_ = std::make_unique<Service<Callee>>(host());
    PB_TRY_VALUE(heard_, Subscription::open(host(), "test.pong", [this](const Event&) {
                   if (--awaited_ == 0) done_.release();
                 }));
    newest = this;
    return {};
  }
  void stop(Done done) override {
    service_.reset();
    heard_ = {};
    done();
  }

  // Publishes bursts of events; the plugin answers each with one.
  void events() {
    for (int burst = 0; burst < kBursts; ++burst) {
      awaited_ = kBurst;
      for (int i = 0; i < kBurst; ++i) publish(host(), {"test.ping", "localhost", "room", "", "{}"});
      if (!done_.try_acquire_for(std::chrono::seconds(10))) die("an event got lost");
    }
  }
  // Calls one after the other.
  void calls(size_t bytes, int count) {
    const Say say{std::string(bytes, 'x'), 1, 0, false, {}, {}};
    for (int i = 0; i < count; ++i) {
      post(host(), kMainStrand, [this, &say] {
        service_->call(Callee::say, say, [this](const Result<callee::Said>& said) {
          if (!said) die(said.error().text);
          done_.release();
        });
      });
      if (!done_.try_acquire_for(std::chrono::seconds(10))) die("a call was not answered");
    }
  }

 private:
  std::unique_ptr<Service<Callee>> service_;
  Subscription heard_;
  std::atomic<int> awaited_{0};
  std::binary_semaphore done_{0};
};

struct Server {
  explicit Server(const std::string& section)
      : server(section, &test::LinkedPlugin<Asker>::entry, "asker"), asker(Asker::newest) {}

  bench::CalleeServer server;
  Asker* asker;
};

template <class F>
double ns_per(int count, double (*now)(), F f) {
  const double begin = now();
  f();
  return (now() - begin) * 1e9 / count;
}

using Sides = std::vector<bench::Side<std::function<double()>>>;

void frames() {
  constexpr int kRounds = 200'000;
  auto ring = core::isolation::Ring::create();
  if (!ring) die("no shared memory");
  core::isolation::SharedQueue& queue = (*ring)->shared().to_parent;
  std::array<int16_t, core::isolation::kMaxSamples> pcm{};
  pb_frame frame{};
  frame.size = sizeof frame;
  frame.samples = frame.capacity = 320;
  frame.pcm = pcm.data();
  bench::run_rounds("frame of 20 ms at 16 kHz", "ns",
                    Sides{{"copied in this process",
                           [&] {
                             return ns_per(kRounds, &bench::seconds_now, [&] {
                               for (int i = 0; i < kRounds; ++i) {
                                 std::memcpy(pcm.data() + 480, pcm.data(), 640);
                                 asm volatile("" ::: "memory");
                               }
                             });
                           }},
                          {"pushed into shared memory and pulled out", [&] {
                             return ns_per(kRounds, &bench::seconds_now, [&] {
                               for (int i = 0; i < kRounds; ++i) {
                                 queue.push(frame);
                                 queue.pop(frame);
                               }
                             });
                           }}});
}

}  // namespace

int main() {
  const Server here("{}"), apart("{isolation: process}");
  const auto both = [&](const char* what, const char* unit, int count, double (*now)(),
                        const std::function<void(Asker&)>& work) {
    bench::run_rounds(
        what, unit,
        Sides{{"in this process", [&] { return ns_per(count, now, [&] { work(*here.asker); }); }},
              {"isolated", [&] { return ns_per(count, now, [&] { work(*apart.asker); }); }}});
  };
  const auto events = [](Asker& asker) { asker.events(); };
  both("event to a plugin and one back, 200 at a time", "ns", kBurst * kBursts, &bench::seconds_now, events);
  both("the same", "ns of the server's processor time", kBurst * kBursts, &bench::cpu_seconds_now, events);
  both("call, 64 bytes", "ns", kCalls, &bench::seconds_now, [](Asker& asker) { asker.calls(64, kCalls); });
  both("call, 64 KiB", "ns", kCalls, &bench::seconds_now,
       [](Asker& asker) { asker.calls(64 * 1024, kCalls); });
  both("call, 1 MiB", "ns", 200, &bench::seconds_now, [](Asker& asker) { asker.calls(1 << 20, 200); });
  frames();
}
