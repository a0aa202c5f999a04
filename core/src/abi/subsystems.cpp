#include "abi/subsystems.h"

#include <utility>

namespace patchbay::core {

Result<std::unique_ptr<Subsystems>> Subsystems::create(Options options) {
  PB_TRY_VALUE(auto log, observe::Log::open(options.log));
  PB_TRY_VALUE(auto runtime, Runtime::create(options.runtime));
  return std::unique_ptr<Subsystems>(new Subsystems(std::move(options), std::move(log), std::move(runtime)));
}

Subsystems::Subsystems(Options options, std::unique_ptr<observe::Log> log, std::unique_ptr<Runtime> runtime)
    : log_(std::move(log)),
      runtime_(std::move(runtime)),
      bus_(runtime_->wall_clock(), runtime_->mono_clock()),
      store_registry_(bus_),
      media_(runtime_->media()),
      services_{*runtime_,
                bus_,
                store_registry_,
                registry_,
                media_,
                *log_,
                metrics_,
                std::move(options.data_folder),
                options.report ? std::move(options.report) : [](std::string_view) { return std::string(); },
                options.observer} {}

Subsystems::~Subsystems() {
  if (store_) store_->close();
}

Status Subsystems::open_store(const std::filesystem::path& file, StoreOptions options) {
  options.now_ms = [this] { return runtime_->wall_clock().now_ms(); };
  options.on_committed = [this, witness = std::move(options.on_committed)](CommitNotice&& what) {
    if (witness) witness(CommitNotice(what));
    store_registry_.announced(std::move(what));
  };
  PB_TRY_VALUE(store_, Store::open(file, std::move(options)));
  store_registry_.attach(*store_);
  return {};
}

}  // namespace patchbay::core
