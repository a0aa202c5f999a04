#include "outbound/retention.h"

#include "outbound/limits.h"

namespace patchbay::ai_voice {
namespace {

constexpr int64_t kDayMs = int64_t{24} * 3600 * 1000;

}  // namespace

Retention::Retention(const Host& host, const CallStore& store, const Settings& settings,
                     const CallMetrics& metrics)
    : host_(host),
      store_(store),
      settings_(settings),
      metrics_(metrics),
      log_(host),
      sweep_timer_(host),
      count_timer_(host) {}

void Retention::start() {
  count();
  sweep();
}

void Retention::sweep() {
  const int64_t now_ms = host_.wall_ms();
  const int64_t keep_days = settings_.server().keep_calls_days;
  Transaction tx(host_);
  const size_t replies =
      store_.delete_old_idempotent_replies(tx, now_ms - kIdempotencyWindowMs, kDeleteBatch);
  // No call has ended before time 0, so 0 deletes nothing.
  const size_t removed =
      store_.delete_old_calls(tx, keep_days == 0 ? 0 : now_ms - keep_days * kDayMs, kDeleteBatch);
  std::move(tx).commit(alive_.bind([this, replies, removed](const Commit& outcome) {
    if (!outcome) log_.warn("old calls could not be deleted", {{"why", outcome.error().text}});
    const bool more = outcome && (outcome.result(replies).size() == kDeleteBatch ||
                                  outcome.result(removed).size() == kDeleteBatch);
    if (outcome && !outcome.result(removed).empty())
      log_.info("old calls were deleted", {{"count", outcome.result(removed).size()}});
    if (more) return sweep();
    sweep_timer_.after_ms(kSweepIntervalMs, [this] { sweep(); });
  }));
}

void Retention::count() {
  store_.count_open(alive_.bind([this](const Result<std::map<std::string, int64_t>>& counts) {
    for (const std::string_view status :
         {status::kScheduled, status::kDispatching, status::kInFlight, status::kRetryPending}) {
      if (!counts) break;
      const auto at = counts->find(std::string(status));
      metrics_.open_calls(status, at == counts->end() ? 0 : at->second);
    }
    count_timer_.after_ms(kCountIntervalMs, [this] { count(); });
  }));
}

}  // namespace patchbay::ai_voice
