#include <algorithm>
#include <array>

#include "abi/boundary_copies.h"
#include "abi/guarded_table.h"
#include "abi/host_context.h"
#include "observe/log.h"
#include "observe/metrics.h"

namespace patchbay::core {
namespace observe_slots {
namespace {

static_assert(static_cast<uint32_t>(observe::Level::error) == PB_LOG_ERROR);
static_assert(static_cast<uint32_t>(observe::Kind::histogram) == PB_METRIC_HISTOGRAM);

observe::Level level_at(uint32_t level) noexcept {
  return static_cast<observe::Level>(std::min<uint32_t>(level, PB_LOG_ERROR));
}

void log(void* host, uint32_t level, pb_str correlation, pb_str sentence, const pb_pair* fields,
         uint32_t count) noexcept {
  auto& context = HostContext::of(host);
  std::array<observe::Field, observe::kMaxFields> shown;
  const size_t shown_count = std::min<size_t>(count, shown.size());
  for (size_t i = 0; i < shown_count; ++i) shown[i] = {from_abi(fields[i].key), from_abi(fields[i].value)};
  observe::Event event;
  event.level = level_at(level);
  event.component = context.id();
  event.correlation = from_abi(correlation);
  event.text = from_abi(sentence);
  event.fields = shown.data();
  event.count = shown_count;
  context.services().log.write(event);
  if (HostObserver* observer = context.observer())
    observer->logged(context, level, correlation, sentence, fields, count);
}

int32_t log_enabled(void* host, uint32_t level) noexcept {
  return HostContext::of(host).services().log.enabled(level_at(level)) ? 1 : 0;
}

void secret_add(void* host, pb_str value) noexcept {
  HostContext::of(host).services().log.redactor().add(from_abi(value), observe::SecretFrom::plugin);
}

void secret_forget(void* host, pb_str value) noexcept {
  HostContext::of(host).services().log.redactor().remove(from_abi(value), observe::SecretFrom::plugin);
}

uint64_t metric(void* host, uint32_t kind, pb_str name, pb_str help, const pb_pair* labels,
                uint32_t count) noexcept {
  if (kind > PB_METRIC_HISTOGRAM) return 0;
  observe::Labels all;
  for (uint32_t i = 0; i < count; ++i) all.emplace_back(copied(labels[i].key), copied(labels[i].value));
  const auto handle = HostContext::of(host).services().metrics.handle(
      static_cast<observe::Kind>(kind), from_abi(name), from_abi(help), std::move(all));
  return handle ? *handle : 0;
}

void metric_add(void* host, uint64_t handle, double value) noexcept {
  if (observe::Series* series = HostContext::of(host).services().metrics.at(handle)) series->add(value);
}

void metric_set(void* host, uint64_t handle, double value) noexcept {
  if (observe::Series* series = HostContext::of(host).services().metrics.at(handle)) series->set(value);
}

// The plugin whose call runs on this thread; "": none does.
std::string caller_id(const HostServices& services) {
  const auto life = services.registry.find(calling_plugin());
  return life ? life->owner() : std::string();
}

int32_t report(void* host, pb_str what, void (*sink)(void* user, pb_str part) noexcept, void* user) noexcept {
  const HostServices& services = HostContext::of(host).services();
  const std::string told = from_abi(what) == "caller" ? caller_id(services) : services.report(from_abi(what));
  if (told.empty()) return PB_E_NOT_FOUND;
  sink(user, to_abi(told));
  return PB_OK;
}

constexpr pb_observe kFunctions{sizeof(pb_observe), 0,       &log,        &log_enabled, &secret_add,
                                &secret_forget,     &metric, &metric_add, &metric_set,  &report};
constexpr pb_observe kTable = guarded<kFunctions>();

}  // namespace
}  // namespace observe_slots

const pb_observe& observe_table() noexcept { return observe_slots::kTable; }

}  // namespace patchbay::core
