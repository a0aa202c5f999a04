#include <utility>

#include "abi/boundary_copies.h"
#include "abi/guarded_table.h"
#include "abi/host_context.h"
#include "abi/media_registry.h"
#include "services/service_registry.h"

namespace patchbay::core {
namespace services_slots {
namespace {

uint64_t provide(void* host, const pb_interface* what, int32_t is_public, uint64_t strand_handle,
                 pb_method_fn fn, void* self, pb_err* err) noexcept {
  auto& context = HostContext::of(host);
  Ref<Strand> strand = context.strand(strand_handle);
  if (!strand || what == nullptr || fn == nullptr) {
    write_error(err, Code::misuse, "provide() needs a live strand, an interface and a function");
    return 0;
  }
  auto instance =
      make_ref<Instance>(std::move(strand), InstanceInit{context.id(), what, is_public != 0, fn, self});
  auto handle = context.services().registry.provide(std::move(instance));
  if (handle) return *handle;
  write_error(err, handle.error().code, handle.error().text);
  return 0;
}

void withdraw(void* host, uint64_t instance, pb_fn done, void* user) noexcept {
  auto& context = HostContext::of(host);
  if (context.services().registry.withdraw(instance, done, user) || done == nullptr) return;
  // The host withdrew it already when the plugin stopped; the plugin still waits for `done`.
  context.deliver(Ref<Strand>(), [done, user] { done(user); });
}

uint64_t query(void* host, pb_str id) noexcept {
  auto& context = HostContext::of(host);
  Ref<Instance> instance = context.services().registry.find_public(from_abi(id));
  return instance ? context.handles().leases.add(std::move(instance)) : 0;
}

uint64_t open(void* host, uint64_t handle, pb_str id) noexcept {
  auto& context = HostContext::of(host);
  Ref<Instance> instance = context.services().registry.find(handle);
  if (!instance || instance->interface_id() != from_abi(id)) return 0;
  return context.handles().leases.add(std::move(instance));
}

void unlease(void* host, uint64_t lease) noexcept {
  auto& context = HostContext::of(host);
  if (!context.handles().leases.take(lease)) context.report_unheld_handle("unlease", lease);
}

uint64_t watch(void* host, pb_str id, uint64_t strand_handle, pb_watch_fn fn, void* user) noexcept {
  auto& context = HostContext::of(host);
  Ref<Strand> strand = context.strand(strand_handle);
  if (!strand) return 0;
  const uint64_t handle =
      context.services().registry.watch(make_ref<ProviderWatch>(std::move(strand), copied(id), fn, user));
  context.handles().watches.put(handle, true);
  return handle;
}

void unwatch(void* host, uint64_t watch, pb_fn done, void* user) noexcept {
  auto& context = HostContext::of(host);
  if (!context.handles().watches.take(watch)) return context.report_unheld_handle("unwatch", watch);
  context.services().registry.unwatch(watch, done, user);
}

void call(void* host, uint64_t lease, const pb_interface* caller_table, uint32_t slot,
          const pb_message* request, uint64_t strand_handle, pb_reply_fn fn, void* user) noexcept {
  auto& context = HostContext::of(host);
  Ref<Strand> strand = context.strand(strand_handle);
  if (!strand) strand = context.main_strand();
  Caller caller{std::move(strand), context.main_strand(), fn, user, &context, context.life()};
  Ref<Instance> instance = context.handles().leases.find(lease);
  if (!instance) return ServiceCall::refuse(std::move(caller), PB_E_GONE, "the lease is not held");
  ServiceCall::start(std::move(instance), caller_table, slot, request, std::move(caller));
}

uint64_t caller(void*) noexcept { return calling_plugin(); }

uint64_t watch_end(void* host, uint64_t handle, uint64_t strand_handle, pb_fn fn, void* user) noexcept {
  auto& context = HostContext::of(host);
  HostServices& services = context.services();
  Ref<Strand> strand = context.strand(strand_handle);
  if (!strand || fn == nullptr) return 0;
  const uint64_t watch =
      services.registry.end_watches().add(handle, make_ref<EndWatch>(std::move(strand), fn, user));
  context.handles().watches.put(watch, true);
  if (!services.registry.find(handle) && !services.media.port(handle))
    services.registry.end_watches().ended(handle);
  return watch;
}

constexpr pb_services kFunctions{
    sizeof(pb_services), 0, &provide, &withdraw, &query, &open, &unlease, &watch, &unwatch, &call, &caller,
    &watch_end};
constexpr pb_services kTable = guarded<kFunctions>();

}  // namespace
}  // namespace services_slots

const pb_services& services_table() noexcept { return services_slots::kTable; }

}  // namespace patchbay::core
