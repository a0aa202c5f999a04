#include "backlog_metrics.h"

#include <algorithm>

#include "webhook_limits.h"

namespace patchbay::webhooks {

BacklogMetrics::BacklogMetrics(const Host& host, SubscriptionRegistry& registry)
    : host_(host),
      registry_(registry),
      query_(Statement::find(host, "backlog")),
      pending_(Metric::gauge(host, "patchbay_webhooks_pending", "Deliveries that wait for an attempt")),
      overdue_(Metric::gauge(host, "patchbay_webhooks_overdue_seconds",
                             "How long the next attempt of the oldest pending delivery has been due")),
      paused_(Metric::gauge(host, "patchbay_webhooks_subscriptions_paused", "Subscriptions that are paused")),
      timer_(host) {}

void BacklogMetrics::start() {
  query(host_, query_, {}, alive_.bind([this](const Result<Rows>& rows) {
    if (rows && !rows->empty()) show(*rows);
    timer_.after_ms(kBacklogIntervalMs, [this] { start(); });
  }));
}

void BacklogMetrics::show(const Rows& rows) {
  const int64_t count = rows.integer(0, 0);
  const int64_t overdue_ms = count == 0 ? 0 : std::max<int64_t>(0, host_.wall_ms() - rows.integer(0, 1));
  const auto all = registry_.all();
  pending_.set(static_cast<double>(count));
  overdue_.set(static_cast<double>(overdue_ms) / 1000);
  paused_.set(static_cast<double>(
      std::count_if(all.begin(), all.end(), [](const Subscription* one) { return !one->active; })));
}

}  // namespace patchbay::webhooks
