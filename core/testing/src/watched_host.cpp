#include "watched_host.h"

#include <utility>

#include "abi/text.h"
#include "runtime/thread_kind.h"

namespace patchbay::fake {
namespace {

const char* name_of(Held kind) {
  static constexpr const char* kNames[] = {"strand",   "timer",        "subscription", "provision",
                                           "lease",    "watch",        "transaction",  "job worker",
                                           "consumer", "attachment",   "port",         "opening of a port",
                                           "schema",   "JSON document"};
  return kNames[static_cast<size_t>(kind)];
}

}  // namespace

WatchedHost::WatchedHost(World& world, std::string id, bool trusted)
    : world_(world),
      context_(world.parts(), std::move(id)),
      raw_{sizeof(pb_host), PB_ABI_MINOR, &context_, &WatchedHost::query},
      trusted_(trusted) {
  world.enter(context_, *this);
}

void WatchedHost::off_media(const char* function) {
  if (core::thread_kind() != core::ThreadKind::media || trusted_) return;
  world_.problem("media-thread", id(),
                 std::string(function) +
                     "() was called on a media loop, which may not wait; post to a strand and call it there");
}

void WatchedHost::opened(Held kind, uint64_t handle) {
  if (handle == 0 || trusted_) return;
  const std::lock_guard lock(mutex_);
  held_.emplace(handle, kind);
}

void WatchedHost::closed(Held kind, uint64_t handle, const char* function) {
  if (handle == 0 || trusted_) return;
  {
    const std::lock_guard lock(mutex_);
    const auto at = held_.find(handle);
    if (at != held_.end() && at->second == kind) {
      held_.erase(at);
      return;
    }
  }
  world_.problem("dead-handle", id(),
                 std::string(function) + "() was called for a " + name_of(kind) + " that it does not hold (" +
                     std::to_string(handle) + "); was it given back before?");
}

void WatchedHost::tell_left_behind() {
  std::map<Held, size_t> left;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [handle, kind] : held_) ++left[kind];
    held_.clear();
  }
  for (const auto& [kind, count] : left) {
    world_.problem("left-behind", id(),
                   "destroyed with " + std::to_string(count) + " " + name_of(kind) + (count == 1 ? "" : "s") +
                       " still held; end in stop() what start() began");
  }
}

const void* WatchedHost::query(void*, pb_str id, uint32_t min_size) noexcept {
  return watched_table(core::view(id), min_size);
}

}  // namespace patchbay::fake
