#include <string>
#include <vector>

#include "abi/host_context.h"
#include "abi/media_hub.h"

namespace patchbay::core {
namespace {

void count(std::string& text, size_t number, const char* one) {
  if (number == 0) return;
  text += (text.empty() ? "" : ", ") + std::to_string(number) + " " + one + (number > 1 ? "s" : "");
}

}  // namespace

std::string HostContext::end_leftovers() {
  std::string left;
  const auto end_all = [&](const std::vector<uint64_t>& all, const char* one, auto close) {
    count(left, all.size(), one);
    for (const uint64_t handle : all) close(handle);
  };
  const auto end = [&](auto& map, const char* one, auto close) {
    const auto all = map.all();
    count(left, all.size(), one);
    for (const auto& held : all) close(held.first);
  };
  // Media loops call what they are given without asking: first of all, and waited for.
  const pb_media& media = media_table(parts_);
  const auto ended = [](void* self) noexcept { of(self).wait_ended(Awaited::callbacks); };
  MediaHub& hub = parts_.media;
  end_all(hub.attachments_of(this), "media attachment", [&](uint64_t handle) {
    wait_began(Awaited::callbacks);
    media.detach(this, handle, ended, this);
  });
  end_all(hub.openings_of(this), "port opening", [&](uint64_t handle) { media.port_release(this, handle); });
  end_all(hub.ports_of(this), "port",
          [&](uint64_t handle) { media.port_close(this, handle, nullptr, nullptr); });

  const pb_runtime& runtime = runtime_table();
  end(handles_.timers, "timer",
      [&](uint64_t handle) { runtime.timer_close(this, handle, nullptr, nullptr); });
  end(handles_.subscriptions, "subscription",
      [&](uint64_t handle) { bus_table().unsubscribe(this, handle, nullptr, nullptr); });

  const pb_store& store = store_table();
  end(handles_.job_workers, "job worker",
      [&](uint64_t handle) { store.job_worker_close(this, handle, nullptr, nullptr); });
  end(handles_.consumers, "consumer",
      [&](uint64_t handle) { store.consumer_close(this, handle, nullptr, nullptr); });
  end(handles_.transactions, "transaction", [&](uint64_t handle) { store.discard(this, handle); });

  const pb_services& services = services_table();
  end(handles_.watches, "watch", [&](uint64_t handle) { services.unwatch(this, handle, nullptr, nullptr); });
  end(handles_.leases, "lease", [&](uint64_t handle) { services.unlease(this, handle); });
  end(handles_.schemas, "schema", [&](uint64_t handle) { json_table().schema_free(this, handle); });
  end(handles_.strands, "strand",
      [&](uint64_t handle) { runtime.strand_close(this, handle, nullptr, nullptr); });
  return left;
}

}  // namespace patchbay::core
