#include "abi/subsystems.h"

#include <utility>

#include "abi/load_report.h"
#include "json/writer.h"

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
      report_(std::move(options.report)),
      services_{*runtime_,
                bus_,
                store_registry_,
                registry_,
                media_,
                process_times_,
                *log_,
                metrics_,
                std::move(options.data_folder),
                [this](std::string_view what) { return report(what); },
                options.observer} {}

Subsystems::~Subsystems() {
  if (store_) store_->close();
}

std::string Subsystems::report(std::string_view what) {
  if (what == "load") return load_report(process_times_, thread_waits_, runtime_->media());
  if (what == "node") return node_report();
  return report_ ? report_(what) : std::string();
}

std::string Subsystems::node_report() const {
  if (!store_) return {};
  json::Writer out;
  out.begin_object()
      .member("node", std::string_view(store_->node()))
      .member("epoch", store_->epoch())
      .member("shared", store_->is_shared())
      .end_object();
  return out.take();
}

Status Subsystems::open_store(const std::filesystem::path& file, StoreOptions options) {
  options.now_ms = [this] { return runtime_->wall_clock().now_ms(); };
  options.on_committed = [this, witness = std::move(options.on_committed)](CommitNotice&& what) {
    if (witness && !what.is_elsewhere) witness(CommitNotice(what));
    store_registry_.announced(std::move(what));
  };
  PB_TRY_VALUE(store_, Store::open(file, std::move(options)));
  store_registry_.attach(*store_);
  return {};
}

}  // namespace patchbay::core
