#include "abi/host_context.h"

#include <patchbay/str.h>

#include <system_error>
#include <utility>
#include <vector>

#include "abi/limits.h"
#include "abi/media_registry.h"
#include "bus/bus.h"
#include "bus/topic_name.h"
#include "observe/log.h"
#include "runtime/owner_name.h"
#include "runtime/runtime.h"
#include "services/service_registry.h"

namespace patchbay::core {

namespace {

pb_media with_loops(pb_media table, const HostServices& services) {
  table.loops = services.media.loops();
  return table;
}

HostTablePointers with_media(HostTablePointers tables, const pb_media& media) {
  std::get<const pb_media*>(tables) = &media;
  return tables;
}

}  // namespace

HostTablePointers core_tables() noexcept {
  return {&runtime_table(), &observe_table(),  &json_table(), &bus_table(),
          &store_table(),   &services_table(), &media_table()};
}

HostContext::HostContext(HostServices& services, std::string id, const HostTablePointers& tables)
    : services_(services),
      id_(std::move(id)),
      name_(interned_name(id_)),
      data_folder_((services.data_folder / id_).string()),
      main_(Strand::create(services.runtime.executor(), id_, "main")),
      media_(with_loops(*std::get<const pb_media*>(tables), services)),
      tables_(with_media(tables, media_)),
      raw_{sizeof(pb_host), PB_ABI_MINOR, this, &HostContext::query},
      observer_(services.observer) {
  loop_posts_.owner = name_;
  begin_life();
}

HostContext::~HostContext() { end_life(); }

const std::string& HostContext::data_folder() {
  std::call_once(folder_made_, [this] {
    std::error_code ignored;  // a plugin that writes there gets the error itself
    std::filesystem::create_directories(data_folder_, ignored);
  });
  return data_folder_;
}

void HostContext::begin_life() {
  static constexpr std::string_view kId = "patchbay.caller/1";
  static constexpr pb_interface kNoMethods{sizeof(pb_interface), 0, {kId.data(), kId.size()}, nullptr};
  const auto no_method = [](void*, uint32_t, const pb_message*, pb_completion*, pb_err*) noexcept -> int32_t {
    return PB_E_UNSUPPORTED;
  };
  end_life();
  // Cannot fail, because a private instance conflicts with no other provider.
  life_ = *services_.registry.provide(
      make_ref<Instance>(main_, InstanceInit{id_, &kNoMethods, false, no_method, nullptr}));
}

void HostContext::end_life() { services_.registry.withdraw(life_.exchange(0), nullptr, nullptr); }

Ref<Strand> HostContext::strand(uint64_t handle) const {
  return handle == 0 ? main_ : handles_.strands.find(handle);
}

void HostContext::call_began(ServiceCall& call) noexcept {
  wait_began(Awaited::call);
  const std::lock_guard lock(calls_mutex_);
  calls_.insert(&call);
}

void HostContext::call_ended(ServiceCall& call) noexcept {
  {
    const std::lock_guard lock(calls_mutex_);
    calls_.erase(&call);
  }
  wait_ended(Awaited::call);
}

int64_t HostContext::outstanding() const noexcept {
  int64_t all = 0;
  for (const auto& each : outstanding_) all += each.load(std::memory_order_acquire);
  return all + loop_posts_.waiting.load(std::memory_order_acquire);
}

std::string HostContext::under_way() const {
  static constexpr std::array<const char*, 4> kOne = {"answer of the store", "worker job",
                                                      "answer of another plugin", "callback that is running"};
  static constexpr std::array<const char*, 4> kMany = {
      "answers of the store", "worker jobs", "answers of other plugins", "callbacks that are running"};
  std::string text;
  for (size_t i = 0; i < outstanding_.size(); ++i) {
    int64_t count = outstanding_[i].load(std::memory_order_acquire);
    if (i == static_cast<size_t>(Awaited::callbacks))
      count += loop_posts_.waiting.load(std::memory_order_acquire);
    if (count <= 0) continue;
    text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + (count == 1 ? kOne[i] : kMany[i]);
  }
  return text;
}

void HostContext::suppress_callbacks() {
  const auto over = [](void* self) { of(self).wait_ended(Awaited::callbacks); };
  auto strands = handles_.strands.all();
  strands.emplace_back(0, main_);
  for (const auto& [handle, strand] : strands) {
    strand->suppress_callbacks();
    // Callbacks that began before the suppression have returned when this task runs.
    wait_began(Awaited::callbacks);
    if (!strand->post(over, this)) wait_ended(Awaited::callbacks);
  }
  loop_posts_.suppressed.store(true, std::memory_order_release);
  services_.media.suppress_callbacks(this);
  flush_loops();
}

void HostContext::cut_streams() {
  services_.media.cut_streams(as_owner().name);
  flush_loops();
}

// Waits for what runs on the loops now, also for the last call of an object whose close is pending.
void HostContext::flush_loops() {
  if (!uses_loops_.load(std::memory_order_acquire)) return;
  for (uint32_t loop = 0; loop < services_.media.loops(); ++loop) {
    wait_began(Awaited::callbacks);
    services_.media.flush_loop(
        loop, [](void* self) { of(self).wait_ended(Awaited::callbacks); }, this);
  }
}

void HostContext::cancel_calls() {
  std::vector<Ref<ServiceCall>> calls;
  {
    const std::lock_guard lock(calls_mutex_);
    for (ServiceCall* call : calls_) calls.emplace_back(call);
  }
  for (const auto& call : calls) call->answer(PB_E_CANCELLED, nullptr, nullptr);
}

void HostContext::report_misuse(std::string_view rule, std::string_view function) noexcept {
  const auto kept_back = misuses_.pass(function);
  if (!kept_back) return;
  const observe::Field field{"function", function};
  observe::Event event;
  event.level = observe::Level::warn;
  event.component = id_;
  event.text = rule;
  event.fields = &field;
  event.count = 1;
  services_.log.write(event);
}

void HostContext::called_on_media(const char* function) noexcept {
  report_misuse("a function was called on a media loop", function);
  if (HostObserver* observing = observer()) observing->called_on_media(*this, function);
}

Status HostContext::check_topic(std::string_view topic) {
  if (reserved_topic(topic)) return {Code::denied, "topics that begin with core. are the core's own"};
  return services_.bus.may_publish(topic, topics_made_);
}

void HostContext::published() noexcept {
  if (published_.fetch_add(1, std::memory_order_relaxed) % kFloodSampleEvents != kFloodSampleEvents - 1)
    return;
  const int64_t now_ns = services_.runtime.mono_clock().now_ns();
  const int64_t since_ns = published_since_ns_.exchange(now_ns, std::memory_order_relaxed);
  if (since_ns != 0 &&
      (now_ns - since_ns) * kFloodEventsPerSecond < int64_t{kFloodSampleEvents} * 1'000'000'000)
    report_misuse("floods the bus: more than " + std::to_string(kFloodEventsPerSecond) + " events a second",
                  "publish");
}

const void* HostContext::query(void* self, pb_str id, uint32_t min_size) noexcept {
  return find_table(of(self).tables_, from_abi(id), min_size);
}

}  // namespace patchbay::core
