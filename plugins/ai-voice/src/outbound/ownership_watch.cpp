#include "outbound/ownership_watch.h"

#include <utility>

namespace patchbay::ai_voice {

OwnershipWatch::OwnershipWatch(const Host& host, const CallStore& store,
                               Function<std::vector<std::string>()> running,
                               Function<void(const std::string&)> lost,
                               Function<void(const std::string&)> hang_up)
    : host_(host),
      store_(store),
      running_(std::move(running)),
      lost_(std::move(lost)),
      hang_up_(std::move(hang_up)),
      poll_(host, lib::kOwnerPollMs, [this] { check(); }) {}

void OwnershipWatch::start() {
  if (store_.owner().is_shared) poll_.start();
}

// Takes the list of attempts before the read, because an attempt that begins meanwhile may be missing in its
// result.
void OwnershipWatch::check() {
  std::vector<std::string> running = running_();
  if (running.empty()) return poll_.looked();
  store_.owned(
      alive_.bind([this, running = std::move(running)](const Result<std::map<std::string, bool>>& owned) {
        for (size_t i = 0; owned && i < running.size(); ++i) {
          const auto call = owned->find(running[i]);
          if (call == owned->end()) lost_(running[i]);
          if (call != owned->end() && call->second) take_hangup(running[i]);
        }
        poll_.looked();
      }));
}

void OwnershipWatch::take_hangup(const std::string& id) {
  Transaction tx(host_);
  store_.delete_hangup(tx, id);
  std::move(tx).commit([](const Commit&) {});
  hang_up_(id);
}

}  // namespace patchbay::ai_voice
