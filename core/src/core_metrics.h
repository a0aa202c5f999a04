// CoreMetrics: the core's metrics of queues, threads and media loops, `patchbay_core_*` and
// `patchbay_media_*`.
#pragma once

#include <cstdint>

namespace patchbay::core {

class Bus;
class MediaRegistry;
class ProcessTimes;
class Runtime;
class ServiceRegistry;

namespace observe {
class Exposition;
}

// Borrows all; must outlive the metric source that calls it.
struct CoreMetrics {
  Runtime& runtime;
  Bus& bus;
  ServiceRegistry& services;
  MediaRegistry& media;
  ProcessTimes& process_times;
  int64_t begun_ns = 0;  // start of the core, by the runtime's monotonic clock

  // [any, not media] Blocks on short locks only.
  void add_to(observe::Exposition& out) const;

 private:
  void add_threads(observe::Exposition& out) const;
  void add_plugins(observe::Exposition& out) const;
  void add_media(observe::Exposition& out) const;
};

}  // namespace patchbay::core
