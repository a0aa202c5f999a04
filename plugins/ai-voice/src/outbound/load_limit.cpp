#include "outbound/load_limit.h"

#include <algorithm>
#include <limits>

#include "outbound/limits.h"

namespace patchbay::ai_voice {
namespace {

constexpr int64_t kMinWindowNs = kMinLoadWindowMs * 1'000'000;

}  // namespace

void LoadLimit::sample(const ServerLoad& now, size_t talking) {
  const int64_t window_ns = now.now_ns - last_.now_ns;
  if (now.now_ns == 0 || (last_.now_ns != 0 && window_ns < kMinWindowNs)) return;
  if (last_.now_ns != 0) {
    const double used_cores = double(now.cpu_ns - last_.cpu_ns) / double(window_ns);
    if (idle_) {
      other_cores_ = used_cores;
    } else {
      load_ = used_cores / now.cores;
      learn(used_cores, talking);
      watch_threads(now);
    }
  }
  if (!idle_) admitted_ = 0;  // calls admitted with the first one may still be on their way
  idle_ = false;
  last_ = now;
  talking_ = talking;
}

void LoadLimit::idle(const ServerLoad& now) {
  last_ = now;
  load_ = late_ticks_ = wait_ns_ = 0;
  are_ticks_late_ = are_threads_late_ = false;
  talking_ = admitted_ = 0;
  idle_ = true;
}

// Other programs may take the processors while the server itself uses little. Bounds and smooths each sample,
// and has two limits each, so that neither one pause of the machine, however long, nor a value near the limit
// makes calls start and wait in turn.
void LoadLimit::watch_threads(const ServerLoad& now) {
  const auto ratio = [](int64_t part, int64_t of) { return of > 0 ? double(part) / double(of) : 0; };
  const double late = ratio(now.late_ticks - last_.late_ticks, now.ticks - last_.ticks);
  const double wait = ratio(now.wait_ns - last_.wait_ns, now.runs - last_.runs);
  const auto smooth = [](double& value, double sample, double max) {
    value += kLoadSmoothing * (std::min(sample, kMaxSampleOfLimit * max) - value);
  };
  smooth(late_ticks_, late, kMaxLateTicks);
  smooth(wait_ns_, wait, kMaxWaitNs);
  are_ticks_late_ = late_ticks_ > (are_ticks_late_ ? kLateTicksEnd : kMaxLateTicks);
  are_threads_late_ = wait_ns_ > (are_threads_late_ ? kLateWaitEndNs : kMaxWaitNs);
}

// Attributes to the calls what was used beyond other work. That is seen while no call talks or is set up.
void LoadLimit::learn(double used_cores, size_t talking) {
  if (talking == 0) {
    if (talking_ == 0 && admitted_ == 0) other_cores_ += kLoadSmoothing * (used_cores - other_cores_);
    return;
  }
  other_cores_ = std::min(other_cores_, used_cores);
  const auto calls = double(talking);
  // A sample of few calls says little about the cost of many.
  const double weight = learned_calls_ == 0 ? 1 : kLoadSmoothing * std::min(1.0, calls / learned_calls_);
  calls_cores_ += weight * (used_cores - other_cores_ - calls_cores_);
  learned_calls_ += weight * (calls - learned_calls_);
}

// As if kAssumedCalls more had been measured, so that other work is not taken for the cost of a single call.
double LoadLimit::cores_of_each() const {
  return (kAssumedCalls * kAssumedCoresOfCall + calls_cores_) / (kAssumedCalls + learned_calls_);
}

size_t LoadLimit::room(int64_t max_percent, size_t running) const {
  if (max_percent == 0) return std::numeric_limits<size_t>::max();
  const double limit = double(max_percent) / 100;
  if (load_ >= limit || is_late()) return 0;
  const size_t silent = std::max(running - std::min(running, talking_), admitted_);
  const auto fit = static_cast<size_t>((limit - load_) * last_.cores / cores_of_each());
  // One at a time always fits, because other work than calls may cause the load.
  if (silent == 0) return std::max<size_t>(fit, 1);
  return fit - std::min(fit, silent);
}

std::string_view LoadLimit::admit(int64_t max_percent, size_t running) {
  if (room(max_percent, running) == 0)
    return is_late() && load_ < double(max_percent) / 100 ? "late" : "load";
  ++admitted_;
  return {};
}

}  // namespace patchbay::ai_voice
