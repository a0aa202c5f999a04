// ServiceRegistry: which instances there are, who provides what, and who wants to know. Any thread but a
// media loop.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "patchbay/result.h"
#include "services/end_watch.h"
#include "services/handle_map.h"
#include "services/instance.h"

namespace patchbay::core {

class ServiceRegistry;

// Tells its strand whether a public provider of one id is there: once at first, then each change. The state
// is read on the strand, so that the last thing told is what is.
class ProviderWatch final : public Registration {
 public:
  ProviderWatch(Ref<Strand> strand, std::string id, pb_watch_fn fn, void* user)
      : Registration(std::move(strand)), id_(std::move(id)), fn_(fn), user_(user) {}
  const std::string& id() const noexcept { return id_; }
  // [any] Something may have changed. The registry must outlive the strand's tasks.
  void refresh(const ServiceRegistry& registry);

 private:
  void notify(uint64_t provider);

  const std::string id_;
  const pb_watch_fn fn_;
  void* const user_;
  // state, on the strand
  bool notified_ = false;
  uint64_t provider_ = 0;  // the one that was told last
};

class ServiceRegistry {
 public:
  // Errors: conflict when a public id has a provider.
  Result<uint64_t> provide(Ref<Instance> instance);
  // Ends it; done as of Registration. False: no such instance (done is not called).
  bool withdraw(uint64_t handle, CallFn done, void* user);
  // Withdraws what a plugin left behind.
  void withdraw_all(std::string_view owner);

  Ref<Instance> find(uint64_t handle) const { return instances_.find(handle); }
  Ref<Instance> find_public(std::string_view id) const;
  // The handle of that instance, 0 when there is none.
  uint64_t provider_of(std::string_view id) const;
  // Public ids with their providers, for reports.
  std::vector<std::pair<std::string, std::string>> provided() const;

  // By plugin, the calls that wait for its answer.
  std::map<std::string, size_t> waiting() const;

  uint64_t watch(const Ref<ProviderWatch>& watch);
  // Of both kinds of watches.
  bool unwatch(uint64_t handle, CallFn done, void* user);

  // Who waits for the end of an instance, or of anything else that has a handle: its owner says ended().
  EndWatches& end_watches() noexcept { return end_watches_; }

 private:
  void remove_public(const Instance& instance);
  void notify(const std::string& id);

  HandleMap<Ref<Instance>> instances_;
  HandleMap<Ref<ProviderWatch>> watches_;
  EndWatches end_watches_;
  mutable std::mutex mutex_;
  struct Public {
    Ref<Instance> instance;
    uint64_t handle = 0;
  };
  std::map<std::string, Public, std::less<>> public_;
};

}  // namespace patchbay::core
