// Logs and secrets are sent to the server at once. Metrics are kept here, because media loops update them,
// and their changes are sent a few times a second.
#include <map>
#include <mutex>
#include <vector>

#include "isolation/child_host_calls.h"
#include "observe/metrics.h"

namespace patchbay::core::isolation {
namespace {

int32_t log_enabled(void*, uint32_t level) noexcept { return ChildHost::get().log_enabled(level) ? 1 : 0; }

void secret(uint32_t add, pb_str value) {
  ChildHost::get().send(Encoder(Kind::secret).u32(add).str(from_abi(value)));
}
void secret_add(void*, pb_str value) noexcept { secret(1, value); }
void secret_forget(void*, pb_str value) noexcept { secret(0, value); }

// The values of one series as they were last sent.
struct Sent {
  uint32_t kind = 0;
  double value = 0;
  std::vector<uint64_t> counts;  // cumulated
};
std::mutex sent_mutex;
std::map<uint64_t, Sent> sent_series;  // by the number that the plugin has; guarded by sent_mutex

uint64_t metric(void* host, uint32_t kind, pb_str name, pb_str help, const pb_pair* labels,
                uint32_t count) noexcept {
  const uint64_t number = observe_table().metric(host, kind, name, help, labels, count);
  if (number == 0) return 0;
  const std::lock_guard lock(sent_mutex);
  if (!sent_series.emplace(number, Sent{kind, 0, {}}).second) return number;
  Encoder out(Kind::metric);
  Arguments<uint32_t, pb_str, pb_str, const pb_pair*, uint32_t>::put(out.u64(number), kind, name, help,
                                                                     labels, count);
  ChildHost::get().send(out);
  return number;
}

// Writes the changes of a series. False: none.
bool put_changes(Encoder& out, uint64_t number, const observe::Series& series, Sent& before) {
  const double value = series.value();
  const std::vector<uint64_t> counts = series.buckets();
  if (value == before.value && counts == before.counts) return false;
  out.u64(number).f64(before.kind == PB_METRIC_GAUGE ? value : value - before.value);
  out.u32(static_cast<uint32_t>(counts.size()));
  before.counts.resize(counts.size());
  for (size_t i = 0; i < counts.size(); ++i) out.u64(counts[i] - before.counts[i]);
  before.value = value;
  before.counts = counts;
  return true;
}

}  // namespace

void send_metrics() {
  ChildHost& host = ChildHost::get();
  Encoder news;
  uint32_t count = 0;
  const std::lock_guard lock(sent_mutex);
  for (auto& [number, before] : sent_series) {
    const observe::Series* series = host.context().services().metrics.at(number);
    if (series != nullptr && put_changes(news, number, *series, before)) ++count;
  }
  if (count == 0) return;
  Encoder out(Kind::metric_values);
  host.send(out.u32(count).bytes(news.frame()));
}

const pb_observe& child_observe() noexcept {
  static const pb_observe table = [] {
    pb_observe made = crossing(observe_table());
    made.log_enabled = &log_enabled;
    made.secret_add = &secret_add;
    made.secret_forget = &secret_forget;
    made.metric = &metric;
    return made;
  }();
  return table;
}

}  // namespace patchbay::core::isolation
