// A plugin built with the headers of grow.sh: the core that runs it has no pb_bus.flush.
#include <patchbay/bus.h>
#include <patchbay/plugin.h>

namespace {

class FutureAbi final : public patchbay::Plugin {
  patchbay::Status start(const patchbay::Config& config) override {
    if (config.plugin().boolean("must", false)) PB_NEEDS(PB_BUS_ID, host().bus, flush);
    patchbay::publish(host(), {"future-abi.started", "localhost", "", "", "{}"});
    if (PB_HAS(host().bus, flush)) {
      host().bus->flush(host().self);
    } else {
      log().warn("events are not flushed on this core");
    }
    return {};
  }
};

#ifdef ASKS_FOR_SIZEOF
// A plugin that queries more than the floor.
template <class T>
int32_t create_with_sizeof(const pb_host* host, const pb_plugin** table, void** self, pb_err* err) noexcept {
  const auto bus = patchbay::Host::table<pb_bus>(host, PB_BUS_ID, sizeof(pb_bus));
  if (!bus) return patchbay::write_error(err, bus.error().code, bus.error().text);
  return patchbay::detail::plugin_create<T>(host, table, self, err);
}
#endif

}  // namespace

#ifdef ASKS_FOR_SIZEOF
extern "C" __attribute__((visibility("default"), used))
const pb_entry PATCHBAY_PLUGIN_SYMBOL = {PB_MAGIC,
                                         sizeof(pb_entry),
                                         PB_ABI_MAJOR,
                                         PB_ABI_MINOR,
                                         0,
                                         {PATCHBAY_MANIFEST_DATA, PATCHBAY_MANIFEST_SIZE},
                                         {PATCHBAY_STORE_DATA, PATCHBAY_STORE_SIZE},
                                         &create_with_sizeof<FutureAbi>};
#else
PATCHBAY_PLUGIN(FutureAbi)
#endif
