#include "retention.h"

#include "webhook_limits.h"

namespace patchbay::webhooks {
namespace {

constexpr int64_t kDayMs = 86'400'000;

}  // namespace

Retention::Retention(const Host& host, const Log& log)
    : host_(host),
      log_(log),
      paused_(Statement::find(host, "sweep-paused")),
      done_(Statement::find(host, "sweep-done")),
      bodies_(Statement::find(host, "sweep-bodies")),
      secrets_(Statement::find(host, "sweep-secrets")),
      timer_(host) {}

void Retention::sweep() {
  const int64_t now_ms = host_.wall_ms();
  Transaction tx(host_);
  tx.exec(paused_, {now_ms - kPausedKeepMs, now_ms, kMaxSweptRows});
  tx.exec(done_, {now_ms - keep_ms_, kMaxSweptRows});
  // A day later than their deliveries, because the statement reads every older body.
  tx.exec(bodies_, {now_ms - keep_ms_ - kDayMs, kMaxSweptRows});
  tx.exec(secrets_, {now_ms - kDayMs});
  std::move(tx).commit(alive_.bind([this](const Commit& outcome) {
    if (!outcome) log_.warn("old deliveries cannot be removed", {{"why", outcome.error().text}});
    bool more = false;
    for (size_t i = 0; outcome && i < 3; ++i) more = more || outcome.result(i).size() == kMaxSweptRows;
    if (more) return sweep();
    timer_.after_ms(kSweepIntervalMs, [this] { sweep(); });
  }));
}

}  // namespace patchbay::webhooks
