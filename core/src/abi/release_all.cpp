#include <string>
#include <vector>

#include "abi/close_handle.h"
#include "abi/host_context.h"
#include "abi/media_registry.h"

namespace patchbay::core {
namespace {

// The order of release: first what media loops call, because they do not check whether it still exists;
// strands last, because they run the closing of the others.
constexpr HandleKind kOrder[] = {HandleKind::attachment,   HandleKind::loop_watch, HandleKind::loop_timer,
                                 HandleKind::opening,      HandleKind::port,       HandleKind::timer,
                                 HandleKind::subscription, HandleKind::job_worker, HandleKind::consumer,
                                 HandleKind::transaction,  HandleKind::watch,      HandleKind::lease,
                                 HandleKind::schema,       HandleKind::strand};

// Whether it is closed on a media loop, after its last call.
constexpr bool is_called_by_loops(HandleKind kind) {
  return kind == HandleKind::attachment || kind == HandleKind::loop_watch || kind == HandleKind::loop_timer;
}

template <class Map>
std::vector<uint64_t> numbers_of(const Map& map) {
  std::vector<uint64_t> numbers;
  for (const auto& held : map.all()) numbers.push_back(held.first);
  return numbers;
}

}  // namespace

std::vector<uint64_t> HostContext::held(HandleKind kind) const {
  switch (kind) {
    case HandleKind::strand:
      return numbers_of(handles_.strands);
    case HandleKind::timer:
      return numbers_of(handles_.timers);
    case HandleKind::subscription:
      return numbers_of(handles_.subscriptions);
    case HandleKind::lease:
      return numbers_of(handles_.leases);
    case HandleKind::watch:
      return numbers_of(handles_.watches);
    case HandleKind::transaction:
      return numbers_of(handles_.transactions);
    case HandleKind::job_worker:
      return numbers_of(handles_.job_workers);
    case HandleKind::consumer:
      return numbers_of(handles_.consumers);
    case HandleKind::schema:
      return numbers_of(handles_.schemas);
    case HandleKind::attachment:
      return services_.media.attachments_of(this);
    case HandleKind::port:
      return services_.media.ports_of(this);
    case HandleKind::opening:
      return services_.media.openings_of(this);
    case HandleKind::loop_watch:
      return services_.media.watches_of(this);
    case HandleKind::loop_timer:
      return services_.media.timers_of(this);
    case HandleKind::none:
    case HandleKind::instance:  // withdrawn before the plugin is destroyed
    case HandleKind::document:  // the plugin's memory
      break;
  }
  return {};
}

std::string HostContext::release_all() {
  if (HostObserver* observing = observer_.exchange(nullptr)) observing->destroyed(*this);
  std::string left;
  for (const HandleKind kind : kOrder) {
    const std::vector<uint64_t> handles = held(kind);
    if (handles.empty()) continue;
    left += (left.empty() ? "" : ", ") + std::to_string(handles.size()) + " " + name_of(kind) +
            (handles.size() > 1 ? "s" : "");
    for (const uint64_t handle : handles) {
      if (!is_called_by_loops(kind)) {
        close_handle(core_tables(), this, kind, handle, nullptr, nullptr);
        continue;
      }
      wait_began(Awaited::callbacks);  // for its last call
      close_handle(
          core_tables(), this, kind, handle,
          [](void* self) noexcept { of(self).wait_ended(Awaited::callbacks); }, this);
    }
  }
  return left;
}

}  // namespace patchbay::core
