// Handles: the objects that one plugin holds, by handle.
#pragma once

#include <memory>

#include "abi/durable_consumer.h"
#include "abi/job_worker.h"
#include "runtime/slot_table.h"
#include "runtime/strand.h"
#include "runtime/timer_queue.h"
#include "services/handle_map.h"
#include "services/service_instance.h"

namespace patchbay::core {

struct HeldTimer {
  TimerId id = 0;
  Ref<Strand> strand;
  explicit operator bool() const noexcept { return id != 0; }
};

struct HeldSubscription {
  uint64_t id = 0;
  void* listener = nullptr;  // the bus table's; freed once the subscription has ended
  explicit operator bool() const noexcept { return id != 0; }
};

struct Handles {
  SlotTable<Ref<Strand>> strands;  // posted to from media loops
  HandleMap<HeldTimer> timers;
  HandleMap<HeldSubscription> subscriptions;
  HandleMap<Ref<Instance>> leases;
  HandleMap<Ref<JobWorker>> job_workers;
  HandleMap<Ref<DurableConsumer>> consumers;
  // Only the handles: the service registry or the store hub owns these objects. The media hub has its own
  // tables, and knows the owner of each object in them.
  HandleMap<bool> watches;
  HandleMap<bool> transactions;
  HandleMap<std::shared_ptr<const void>> schemas;  // shared with checks under way
};

}  // namespace patchbay::core
