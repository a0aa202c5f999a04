// The events of count_events().
#include <chrono>
#include <cstdio>
#include <filesystem>

#include "bench/instructions/callgrind.h"
#include "bench/instructions/measures.h"
#include "bus/bus.h"
#include "runtime/clock.h"
#include "runtime/executor.h"
#include "support/child_process.h"

namespace patchbay::bench {
namespace {

constexpr int kBurst = 256, kBursts = 100, kWarmUpBursts = 20;

core::EventData sample() {
  core::EventData data;
  data.topic = "call.answered";
  data.tenant = "a.example";
  data.subject = "c-0123456789ab";
  data.payload = R"({"callId":"c-0123456789ab","phone":"+431234567","at":"2026-01-01T00:00:00.000Z"})";
  return data;
}

enum class Pace {
  bursts,  // one worker, which publishes 256 events and then delivers them
  single,  // two workers: each event wakes a strand, whose listener has the next one published
};

struct Kind {
  const char* name;
  Pace pace;
  bool cross, made;
};
constexpr Kind kKinds[] = {{"event-same-strand", Pace::bursts, false, false},
                           {"event-cross-strand", Pace::bursts, true, false},
                           {"event-cross-strand-made", Pace::bursts, true, true},
                           {"event-cross-strand-made-single", Pace::single, true, true}};

class Traffic {
 public:
  Traffic(const Kind& kind, core::Bus& bus, core::Executor& executor)
      : kind_(kind),
        bus_(bus),
        executor_(executor),
        listening_(core::Strand::create(executor, "bench", "listener")),
        publishing_(kind.cross ? core::Strand::create(executor, "bench", "publisher") : listening_),
        event_(*bus.make(data_)) {}

  Status count() {
    const auto subscription =
        bus_.subscribe({"call.*", "", 65536, core::DropPolicy::newest}, *listening_, hear, this);
    if (!subscription) return subscription.error();
    deliver(kWarmUpBursts);
    PB_TRY(begin_count());
    deliver(kBursts);
    PB_TRY(end_count(kind_.name));
    PB_TRY(bus_.unsubscribe(*subscription));
    executor_.wait_idle(std::chrono::minutes(1));
    if (heard_ != kBurst * (kWarmUpBursts + kBursts)) return {Code::failed, "not all events were heard"};
    return {};
  }

 private:
  void deliver(int bursts) {
    wanted_ = heard_ + bursts * kBurst;
    if (kind_.pace == Pace::single) return post_and_wait();
    for (int burst = 0; burst < bursts; ++burst) post_and_wait();
  }

  void post_and_wait() {
    post();
    executor_.wait_idle(std::chrono::minutes(1));
  }

  void post() {
    publishing_->post([](void* self) { static_cast<Traffic*>(self)->publish(); }, this);
  }

  void publish() {
    for (int i = kind_.pace == Pace::single ? kBurst - 1 : 0; i < kBurst; ++i) {
      [[maybe_unused]] const Code code = bus_.publish(kind_.made ? *bus_.make(data_) : event_);
    }
  }

  static void hear(void* self, const core::Event&) {
    auto& traffic = *static_cast<Traffic*>(self);
    if (++traffic.heard_ < traffic.wanted_ && traffic.kind_.pace == Pace::single) traffic.post();
  }

  // borrowed
  const Kind& kind_;
  core::Bus& bus_;
  core::Executor& executor_;
  // owned
  const core::Ref<core::Strand> listening_, publishing_;
  const core::EventData data_ = sample();
  const core::Ref<const core::Event> event_;
  // state
  int heard_ = 0, wanted_ = 0;  // of the listener's strand, except while it is idle
};

Status count(const Kind& kind) {
  core::Bus bus(core::system_wall_clock(), core::system_mono_clock());
  core::Executor executor({kind.pace == Pace::single ? 2u : 1u});
  return Traffic(kind, bus, executor).count();
}

}  // namespace

int publish_events() {
  for (const Kind& kind : kKinds) {
    const Status done = count(kind);
    if (done) continue;
    std::printf("%s: %s\n", kind.name, done.error().text.c_str());
    return 1;
  }
  return 0;
}

Result<Instructions> count_events(const std::string& folder) {
  std::vector<std::string> command = callgrind_command(folder);
  command.push_back(std::filesystem::read_symlink("/proc/self/exe").string());
  command.emplace_back("--events");
  PB_TRY_VALUE(test::Child child, test::Child::spawn(command, folder, folder + "/output"));
  if (child.wait(std::chrono::minutes(5)) != 0) return {Code::failed, test::read_text(folder + "/output")};
  Instructions all;
  for (const Kind& kind : kKinds) {
    PB_TRY_VALUE(const double instructions, counted(folder, kind.name));
    all[kind.name] = instructions / (kBurst * kBursts);
  }
  return all;
}

}  // namespace patchbay::bench
