#include "retention.h"

namespace patchbay::webhooks {
namespace {

constexpr int64_t kEveryMs = 60'000;
constexpr int64_t kDayMs = 86'400'000;
constexpr int64_t kAtOnce = 500;  // rows, so that the writer is not held up

}  // namespace

Retention::Retention(const Host& host, const Log& log)
    : host_(host),
      log_(log),
      paused_(Statement::find(host, "sweep-paused")),
      done_(Statement::find(host, "sweep-done")),
      bodies_(Statement::find(host, "sweep-bodies")),
      secrets_(Statement::find(host, "sweep-secrets")),
      timer_(host) {}

void Retention::open() { sweep(); }

void Retention::sweep() {
  const int64_t now_ms = host_.wall_ms();
  Transaction tx(host_);
  tx.exec(paused_, {now_ms - kDayMs, now_ms, kAtOnce});
  tx.exec(done_, {now_ms - keep_ms_, kAtOnce});
  // Only those whose deliveries have been swept as a rule: the statement looks at every body that is older.
  tx.exec(bodies_, {now_ms - keep_ms_ - kDayMs, kAtOnce});
  tx.exec(secrets_, {now_ms - kDayMs});
  std::move(tx).commit(alive_.bind([this](const Commit& outcome) {
    if (!outcome) log_.warn("old deliveries cannot be removed", {{"why", outcome.error().text}});
    bool more = false;
    for (size_t i = 0; outcome && i < 3; ++i) more = more || outcome.result(i).size() == kAtOnce;
    if (more) return sweep();
    timer_.after_ms(kEveryMs, [this] { sweep(); });
  }));
}

}  // namespace patchbay::webhooks
