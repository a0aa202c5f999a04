// ServiceRegistry: the instances that plugins provide, and the watches on them. Any thread but a media loop.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "patchbay/result.h"
#include "services/end_watch.h"
#include "services/handle_map.h"
#include "services/service_instance.h"

namespace patchbay::core {

class ServiceRegistry;

// Reports on its strand whether an interface has a public provider: once at first, then at each change. The
// state is read on the strand, so that the last report is always the current state.
class ProviderWatch final : public Registration {
 public:
  ProviderWatch(Ref<Strand> strand, std::string id, pb_watch_fn fn, void* user)
      : Registration(std::move(strand)), id_(std::move(id)), fn_(fn), user_(user) {}
  const std::string& id() const noexcept { return id_; }
  // [any] Call after a change: posts a report of the current state. The registry must outlive the strand's
  // tasks.
  void refresh(const ServiceRegistry& registry);

 private:
  void notify(uint64_t provider);

  const std::string id_;
  const pb_watch_fn fn_;
  void* const user_;
  // state, on the strand
  bool notified_ = false;  // a first report was made
  uint64_t provider_ = 0;  // reported last
};

class ServiceRegistry {
 public:
  // conflict: the id is public and has a provider already.
  Result<uint64_t> provide(Ref<Instance> instance);
  // Removes the instance and closes it with the guarantees of Registration::close(). False: no such instance,
  // and `done` is not called.
  bool withdraw(uint64_t handle, CallFn done, void* user);
  // Withdraws all instances that a plugin left behind.
  void withdraw_all(std::string_view owner);

  Ref<Instance> find(uint64_t handle) const { return instances_.find(handle); }
  Ref<Instance> find_public(std::string_view id) const;
  // The handle of the public instance; 0 if there is none.
  uint64_t provider_of(std::string_view id) const;
  // Public ids with the plugins that provide them, for reports.
  std::vector<std::pair<std::string, std::string>> provided() const;

  // The number of calls that wait for an answer, by the plugin that owes it.
  std::map<std::string, size_t> waiting() const;

  uint64_t watch(const Ref<ProviderWatch>& watch);
  // Ends a watch of either kind.
  bool unwatch(uint64_t handle, CallFn done, void* user);

  // Watches for the end of instances, and of any other object with a handle, whose owner calls ended().
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
