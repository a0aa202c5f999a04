#include "services/service_registry.h"

#include <utility>

#include "runtime/thread_kind.h"

namespace patchbay::core {

void ProviderWatch::refresh(const ServiceRegistry& registry) {
  const Ref<ProviderWatch> self(this);
  strand().post([self, &registry] {
    if (self->open()) self->notify(registry.provider_of(self->id_));
  });
}

void ProviderWatch::notify(uint64_t provider) {
  if (notified_ && provider == provider_) return;
  // One provider replaced another: report first that the old one has gone, because what callers got from it
  // is invalid.
  const bool replaced = notified_ && provider != 0 && provider_ != 0;
  notified_ = true;
  provider_ = provider;
  const CallbackScope what("watch", id_);
  if (replaced) fn_(user_, 0);
  if (!replaced || open()) fn_(user_, provider != 0 ? 1 : 0);
}

Result<uint64_t> ServiceRegistry::provide(Ref<Instance> instance) {
  const std::string id(instance->interface_id());
  const bool is_public = instance->is_public();
  const uint64_t handle = next_handle();
  if (is_public) {
    const std::lock_guard lock(mutex_);
    const auto [at, added] = public_.emplace(id, Public{instance, handle});
    if (!added) return {Code::conflict, id + " is offered by " + at->second.instance->owner() + " already"};
  }
  instances_.put(handle, std::move(instance));
  if (is_public) notify(id);
  return handle;
}

void ServiceRegistry::remove_public(const Instance& instance) {
  if (!instance.is_public()) return;
  const std::string id(instance.interface_id());
  {
    const std::lock_guard lock(mutex_);
    const auto at = public_.find(id);
    if (at == public_.end() || at->second.instance.get() != &instance) return;
    public_.erase(at);
  }
  notify(id);
}

bool ServiceRegistry::withdraw(uint64_t handle, CallFn done, void* user) {
  const Ref<Instance> instance = instances_.take(handle);
  if (!instance) return false;
  remove_public(*instance);
  instance->cancel_calls();
  instance->close(done, user);
  end_watches_.ended(handle);
  return true;
}

void ServiceRegistry::withdraw_all(std::string_view owner) {
  for (const auto& [handle, instance] : instances_.all()) {
    if (instance->owner() == owner) withdraw(handle, nullptr, nullptr);
  }
}

Ref<Instance> ServiceRegistry::find_public(std::string_view id) const {
  const std::lock_guard lock(mutex_);
  const auto at = public_.find(id);
  return at == public_.end() ? Ref<Instance>() : at->second.instance;
}

uint64_t ServiceRegistry::provider_of(std::string_view id) const {
  const std::lock_guard lock(mutex_);
  const auto at = public_.find(id);
  return at == public_.end() ? 0 : at->second.handle;
}

std::vector<std::pair<std::string, std::string>> ServiceRegistry::provided() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::pair<std::string, std::string>> all;
  for (const auto& [id, entry] : public_) all.emplace_back(id, entry.instance->owner());
  return all;
}

std::map<std::string, size_t> ServiceRegistry::waiting() const {
  std::map<std::string, size_t> all;
  for (const auto& [handle, instance] : instances_.all()) all[instance->owner()] += instance->waiting();
  return all;
}

uint64_t ServiceRegistry::watch(const Ref<ProviderWatch>& watch) {
  const uint64_t handle = watches_.add(watch);
  watch->refresh(*this);
  return handle;
}

bool ServiceRegistry::unwatch(uint64_t handle, CallFn done, void* user) {
  if (const Ref<ProviderWatch> watch = watches_.take(handle)) {
    watch->close(done, user);
    return true;
  }
  const Ref<EndWatch> end = end_watches_.take(handle);
  if (!end) return false;
  end->close(done, user);
  return true;
}

void ServiceRegistry::notify(const std::string& id) {
  for (const auto& [handle, watch] : watches_.all()) {
    if (watch->id() == id) watch->refresh(*this);
  }
}

}  // namespace patchbay::core
