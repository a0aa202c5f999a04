#include "isolation/observe/session_observe.h"

#include <cmath>
#include <utility>
#include <vector>

#include "isolation/argument_wire.h"
#include "isolation/limits.h"
#include "observe/metrics.h"

namespace patchbay::core::isolation {

bool SessionObserve::secret(Decoder& in) {
  const bool add = in.u32() != 0;
  const std::string_view value = in.str();
  if (!in.whole()) return false;
  const pb_observe& observe = *link_->host().observe;
  if (add) {
    if (secrets_.size() >= kMaxSecrets || secret_bytes_ + value.size() > kMaxSecretBytes) {
      link_->too_many("secrets: log lines may show those beyond");
      return true;
    }
    secrets_.emplace(value);
    secret_bytes_ += value.size();
    observe.secret_add(link_->self(), to_abi(value));
  } else if (const auto at = secrets_.find(value); at != secrets_.end()) {
    observe.secret_forget(link_->self(), to_abi(value));
    secret_bytes_ -= value.size();
    secrets_.erase(at);
  }
  return true;
}

bool SessionObserve::metric(Decoder& in) {
  const uint64_t number = in.u64();
  const Arguments<uint32_t, pb_str, pb_str, const pb_pair*, uint32_t> series(in);
  if (!in.whole() || metrics_.count(number) != 0) return false;
  if (metrics_.size() >= kMaxMetrics) {
    link_->too_many("metrics");  // and its metric_values are left out
    return true;
  }
  metrics_[number] = series.call([&](uint32_t kind, auto... given) {
    return Metric{link_->host().observe->metric(link_->self(), kind, given...), kind};
  });
  return true;
}

bool SessionObserve::metric_values(Decoder& in) {
  for (uint32_t left = in.u32(); left > 0 && in.ok(); --left) {
    const auto metric = metrics_.find(in.u64());
    const double value = in.f64();
    std::vector<uint64_t> counts;
    for (uint32_t bucket = in.u32(); bucket > 0 && in.ok(); --bucket) counts.push_back(in.u64());
    if (!in.ok() || !std::isfinite(value)) return false;
    if (metric != metrics_.end()) add_values(metric->second, value, counts);
  }
  return in.whole();
}

void SessionObserve::add_values(const Metric& metric, double value, const std::vector<uint64_t>& counts) {
  const pb_observe& observe = *link_->host().observe;
  if (metric.kind == PB_METRIC_GAUGE) return observe.metric_set(link_->self(), metric.handle, value);
  if (metric.kind == PB_METRIC_COUNTER) return observe.metric_add(link_->self(), metric.handle, value);
  if (observe::Series* series = context_.services().metrics.at(metric.handle)) series->merge(value, counts);
}

void SessionObserve::end() {
  const pb_observe& observe = *link_->host().observe;
  for (const auto& [number, metric] : metrics_) {
    if (metric.kind == PB_METRIC_GAUGE) observe.metric_set(link_->self(), metric.handle, 0);
  }
  secret_bytes_ = 0;
  for (const std::string& value : std::exchange(secrets_, {}))
    observe.secret_forget(link_->self(), to_abi(value));
}

}  // namespace patchbay::core::isolation
