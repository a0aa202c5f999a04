// Subsystems: creates and destroys, in the right order, the parts of the core that the tables of one host
// call: for a core, for a test of plugins, and for the process of an isolated plugin.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "abi/host_services.h"
#include "abi/media_registry.h"
#include "abi/store_registry.h"
#include "bus/bus.h"
#include "observe/log.h"
#include "observe/metrics.h"
#include "runtime/process_times.h"
#include "runtime/runtime.h"
#include "runtime/thread_waits.h"
#include "services/service_registry.h"
#include "store/store.h"

namespace patchbay::core {

class Subsystems {
 public:
  struct Options {
    observe::Log::Options log;
    RuntimeOptions runtime;
    // As in HostServices. Without `report`, only "load" and "node" are reported, which need none.
    std::filesystem::path data_folder;
    std::function<std::string(std::string_view what)> report;
    HostObserver* observer = nullptr;
  };
  static Result<std::unique_ptr<Subsystems>> create(Options options);
  // Call once no plugin is left. Closes the store.
  ~Subsystems();
  Subsystems(const Subsystems&) = delete;
  Subsystems& operator=(const Subsystems&) = delete;

  // Opens the store, which uses the runtime's wall clock and announces its commits to the plugins; calls
  // options.on_committed before that. Call it before the first plugin is created. Not called in the process
  // of an isolated plugin, whose store is in the server.
  Status open_store(const std::filesystem::path& file, StoreOptions options = {});

  HostServices& services() noexcept { return services_; }
  // Null when none was opened.
  Store* store() noexcept { return store_.get(); }

 private:
  Subsystems(Options options, std::unique_ptr<observe::Log> log, std::unique_ptr<Runtime> runtime);
  std::string report(std::string_view what);
  std::string node_report() const;

  // owned, each used by those below it
  std::unique_ptr<observe::Log> log_;
  observe::Metrics metrics_;
  ServiceRegistry registry_;
  std::unique_ptr<Runtime> runtime_;
  Bus bus_;
  StoreRegistry store_registry_;
  MediaRegistry media_;
  ProcessTimes process_times_;
  ThreadWaits thread_waits_;
  const std::function<std::string(std::string_view what)> report_;
  std::unique_ptr<Store> store_;
  HostServices services_;
};

}  // namespace patchbay::core
