// The core's own metrics: what its queues, threads and loops do. `patchbay_core_*` and `patchbay_media_*`.
#pragma once

#include <cstdint>

namespace patchbay::core {

class Bus;
class MediaHub;
class Registry;
class Runtime;

namespace observe {
class Exposition;
}

// Borrowed; must outlive the metric source that asks it.
struct Figures {
  Runtime& runtime;
  Bus& bus;
  Registry& services;
  MediaHub& media;
  int64_t begun_ns = 0;  // by the runtime's monotonic clock

  // [any, not media] Waits for nothing but short locks.
  void tell(observe::Exposition& out) const;

 private:
  void tell_threads(observe::Exposition& out) const;
  void tell_plugins(observe::Exposition& out) const;
  void tell_media(observe::Exposition& out) const;
};

}  // namespace patchbay::core
