// Starts and stops the plugin many times and measures what it leaks: heap, descriptors, threads.
#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iterator>

#include "plugin_validate/harness.h"
#include "plugin_validate/step_runner.h"

// Defined when the program is built with AddressSanitizer, which replaces malloc, so that mallinfo2 reports
// nothing.
extern "C" __attribute__((weak)) size_t __sanitizer_get_current_allocated_bytes();

namespace patchbay::app::validate {
namespace {

constexpr int kWarmUp = 10;
constexpr int kEmptyCycles = 40;
constexpr int kWindows = 4;
// The heap of a plugin with threads grows for hundreds of cycles, until malloc's caches are full.
constexpr int kMoreWindows = 36;
constexpr std::chrono::seconds kMostTime(kStepSec / 3);
// Growth per cycle, beyond that of an empty plugin, that is not reported: libraries keep small caches.
constexpr int64_t kToleratedBytes = 96;

size_t entries(const char* folder) {
  const std::filesystem::directory_iterator all(folder);
  return static_cast<size_t>(std::distance(begin(all), end(all)));
}

struct Held {
  int64_t heap_bytes;
  size_t descriptors;
  size_t threads;

  static Held now() {
    Held held{};
    if (__sanitizer_get_current_allocated_bytes != nullptr) {
      held.heap_bytes = static_cast<int64_t>(__sanitizer_get_current_allocated_bytes());
    } else {
      const struct mallinfo2 info = ::mallinfo2();
      held.heap_bytes = static_cast<int64_t>(info.uordblks + info.hblkhd);
    }
    held.descriptors = entries("/proc/self/fd");
    held.threads = entries("/proc/self/task");
    return held;
  }
};

// A plugin that does nothing, to measure how much the host itself grows per cycle.
namespace empty {

void answer(void*, const pb_done* done) noexcept { done->call(done->self, PB_OK, nullptr); }
void start(void* self, pb_str, const pb_done* done) noexcept { answer(self, done); }
int32_t check(void*, pb_str, pb_err*) noexcept { return PB_OK; }
void reconfigure(void*, pb_str) noexcept {}
void destroy(void*) noexcept {}
constexpr pb_plugin kTable{sizeof(pb_plugin), 0, &start, &check, &reconfigure, &answer, &answer, &destroy};
int32_t create(const pb_host*, const pb_plugin** table, void** self, pb_err*) noexcept {
  *table = &kTable;
  *self = const_cast<pb_plugin*>(&kTable);
  return PB_OK;
}
constexpr char kManifest[] =
    R"({"id": "empty", "version": "1.0.0", "config": {"plugin": {"type": "object"}}})";
constexpr pb_entry kEntry{
    PB_MAGIC,     sizeof(pb_entry), PB_ABI_MAJOR, PB_ABI_MINOR, 0, {kManifest, sizeof kManifest - 1},
    {nullptr, 0}, &create};

}  // namespace empty

Outcome cycle(const StepContext& context, const pb_entry& entry) {
  Harness harness(context, entry);
  const std::string config = &entry == &empty::kEntry ? "{}" : context.subject.config;
  Status begun = harness.step(PB_STEP_CREATE);
  if (begun) begun = harness.step(PB_STEP_START, config);
  if (!begun) return {"it does not start: " + begun.error().text, fix_for(begun)};
  static_cast<void>(harness.advance_ms(100));
  if (const Status ended = harness.stop_and_destroy(); !ended)
    return {"it does not stop: " + ended.error().text, fix_for(ended)};
  static_cast<void>(harness.settle());
  return first_problem(harness);
}

Outcome cycles(const StepContext& context, const pb_entry& entry, int count) {
  for (int i = 0; i < count; ++i)
    if (Outcome outcome = cycle(context, entry); !outcome.passed()) return outcome;
  return {};
}

int64_t bytes_per_empty_cycle(const StepContext& context) {
  static_cast<void>(cycles(context, empty::kEntry, kWarmUp));
  const int64_t before = Held::now().heap_bytes;
  static_cast<void>(cycles(context, empty::kEntry, kEmptyCycles));
  return (Held::now().heap_bytes - before) / kEmptyCycles;
}

std::string growth_text(int64_t growth, int cycles) {
  return std::to_string(growth) + " in " + std::to_string(cycles) + " starts and stops";
}

Outcome look_for_leaks(const StepContext& context) {
  if (Outcome outcome = cycles(context, context.entry, kWarmUp); !outcome.passed()) return outcome;
  const int64_t of_empty = bytes_per_empty_cycle(context);
  const int each = std::max(context.subject.cycles / kWindows, 1);
  const int count = each * kWindows;
  // A leak grows in every window, a cache does not, so the smallest growth counts.
  int64_t least = INT64_MAX;
  const auto run_window = [&] {
    const int64_t begun = Held::now().heap_bytes;
    Outcome outcome = cycles(context, context.entry, each);
    least = std::min(least, (Held::now().heap_bytes - begun) / each - of_empty);
    return outcome;
  };
  const Held before = Held::now();
  for (int window = 0; window < kWindows; ++window)
    if (Outcome outcome = run_window(); !outcome.passed()) return outcome;
  const Held after = Held::now();
  if (after.threads > before.threads) {
    return {"threads grow by " + growth_text(static_cast<int64_t>(after.threads - before.threads), count),
            "join your threads in stop()"};
  }
  if (after.descriptors > before.descriptors) {
    return {"open descriptors grow by " +
                growth_text(static_cast<int64_t>(after.descriptors - before.descriptors), count),
            "close files and sockets in stop()"};
  }
  const auto end = std::chrono::steady_clock::now() + kMostTime;
  for (int more = 0; least > kToleratedBytes && more < kMoreWindows; ++more) {
    if (std::chrono::steady_clock::now() > end) break;
    if (Outcome outcome = run_window(); !outcome.passed()) return outcome;
  }
  if (least > kToleratedBytes) {
    return {"the heap grows by " + std::to_string(least) + " bytes with each start and stop",
            "free in the destructor what the plugin allocates; -fsanitize=leak or valgrind shows where"};
  }
  return {};
}

}  // namespace

std::vector<Step> leak_steps() { return {{"leaks", &look_for_leaks}}; }

}  // namespace patchbay::app::validate
