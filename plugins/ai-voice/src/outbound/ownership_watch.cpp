#include "outbound/ownership_watch.h"

#include <utility>

namespace patchbay::ai_voice {

OwnershipWatch::OwnershipWatch(const Host& host, const CallStore& store,
                               Function<std::vector<std::string>()> running,
                               Function<void(const std::string&)> lost)
    : store_(store), running_(std::move(running)), lost_(std::move(lost)), timer_(host) {}

void OwnershipWatch::start() {
  if (store_.owner().is_shared) schedule();
}

void OwnershipWatch::schedule() {
  timer_.after_ms(lib::kOwnerPollMs, [this] { check(); });
}

// Takes the list of attempts before the read, because one that begins meanwhile may be missing in its result.
void OwnershipWatch::check() {
  std::vector<std::string> running = running_();
  if (running.empty()) return schedule();
  store_.owned(alive_.bind([this, running = std::move(running)](const Result<std::set<std::string>>& owned) {
    if (owned)
      for (const std::string& id : running)
        if (owned->count(id) == 0) lost_(id);
    schedule();
  }));
}

}  // namespace patchbay::ai_voice
