// abi-costs: what carrying costs. Calls one after the other through an ordinary lease, and frames through a
// proxy port, each beside the same plugin in this process. Prints a table; README.md says how to read it.
#include <doctest/doctest.h>
#include <patchbay/audio.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "caller.h"
#include "plugins/plugin_source.h"
#include "proxy.h"
#include "ring.h"
#include "support/linked_plugin.h"
#include "support/server.h"

namespace {

using namespace patchbay;
using carried::Carried;
using Clock = std::chrono::steady_clock;

double ns_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::nano>(Clock::now() - begin).count();
}

void print(const char* what, std::vector<double> ns) {
  std::sort(ns.begin(), ns.end());
  std::printf("%-44s p50 %9.2f us   p99 %9.2f us\n", what, ns[ns.size() / 2] / 1000,
              ns[ns.size() * 99 / 100] / 1000);
}

void calls(const char* what, isolated::Caller& caller, size_t bytes, int count) {
  std::vector<double> ns;
  const carried::Say say{std::string(bytes, 'x'), 1, 0, false, {}, {}};
  for (int i = 0; i < count; ++i) {
    const auto begin = Clock::now();
    if (!caller.call(Carried::say, say).ok()) std::printf("a call failed\n");
    ns.push_back(ns_since(begin));
  }
  print(what, std::move(ns));
}

void both(bool child, const char* small, const char* large) {
  const std::string file = std::string(PATCHBAY_ABI_PLUGINS) + "/carried-plugin.so";
  const pb_entry* entry = nullptr;
  if (child) {
    entry = isolated::isolated_entry(file, PATCHBAY_CHILD_HOST).value_or(nullptr);
  } else if (auto source = core::read_plugin_file(file); source && core::load_plugin(*source)) {
    entry = source->entry;
  }
  test::TestServer server("plugins: {caller: {}, carried-plugin: {}}\ntenants: {localhost: {}}\n", nullptr,
                          {&test::LinkedPlugin<isolated::Caller>::entry, entry});
  calls(small, *isolated::Caller::current, 64, 5000);
  calls(large, *isolated::Caller::current, 64 * 1024, 1000);
}

void frames() {
  constexpr int kRounds = 200000;
  auto ring = isolated::Ring::create();
  if (!ring) return;
  isolated::SharedQueue& queue = (*ring)->shared().to_parent;
  std::array<int16_t, isolated::kMostSamples> pcm{};
  pb_frame frame{};
  frame.size = sizeof frame;
  frame.samples = frame.capacity = 320;
  frame.pcm = pcm.data();
  const auto begin = Clock::now();
  for (int i = 0; i < kRounds; ++i) {
    queue.push(frame);
    queue.pop(frame);
  }
  std::printf("%-44s     %9.2f us\n", "frame of 320 samples, one push and one pull",
              ns_since(begin) / kRounds / 1000);
  const auto copied = Clock::now();
  for (int i = 0; i < kRounds; ++i) {
    std::memcpy(pcm.data() + 480, pcm.data(), 640);
    asm volatile("" ::: "memory");
  }
  std::printf("%-44s     %9.2f us\n", "copy of the same bytes, for comparison",
              ns_since(copied) / kRounds / 1000);
}

}  // namespace

TEST_CASE("what carrying costs") {
  both(false, "call, 64 bytes, in this process", "call, 64 KiB, in this process");
  both(true, "call, 64 bytes, to a child", "call, 64 KiB, to a child");
  frames();
}
