// The call frames of count_call_frames(): real calls in real time, because the media loops have their own
// clock. The number of calls is one that the server can carry when callgrind slows it down.
#include <sys/resource.h>

#include <chrono>
#include <thread>

#include "bench/calls/call_setup.h"
#include "bench/instructions/measures.h"

namespace patchbay::bench {
namespace {

constexpr int kCalls = 2, kAttempts = 3;
constexpr std::chrono::seconds kSettle{3}, kTalk{20};

// The share of the due frames that were carried while `instructions` were counted.
struct Talk {
  double instructions = 0;
  double share = 0;
};

Result<Talk> talk(CallSetup& setup, const std::string& folder, const std::string& name) {
  PB_TRY(setup.server().command("count begin"));
  const uint64_t before = setup.frames();
  std::this_thread::sleep_for(kTalk);
  PB_TRY(setup.server().command("count " + name));
  const double frames = double(setup.frames() - before);
  PB_TRY_VALUE(const double instructions, counted(folder, name));
  const double due = kCalls * double(std::chrono::milliseconds(kTalk).count()) / kFrameMs;
  return Talk{instructions / frames, frames / due};
}

}  // namespace

Result<Instructions> count_call_frames(const std::string& folder) {
  ::setpriority(PRIO_PROCESS, 0,
                -15);  // also of the server; without the permission, an idle machine is needed
  CallSetup setup(kCalls, callgrind_command(folder));
  PB_TRY(setup.make_calls(kCalls));
  setup.voice.stream(Voice::Stream::tone);
  PB_TRY(setup.server().command("count begin"));
  std::this_thread::sleep_for(kSettle);
  for (int attempt = 1; attempt <= kAttempts; ++attempt) {
    PB_TRY_VALUE(const Talk now, talk(setup, folder, "call-frame-" + std::to_string(attempt)));
    if (now.share > 0.97) return Instructions{{"call-frame", now.instructions}};
  }
  return {Code::exhausted, "the machine is too busy: not all frames came through"};
}

}  // namespace patchbay::bench
