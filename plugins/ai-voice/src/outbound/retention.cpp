#include "outbound/retention.h"

namespace patchbay::ai_voice {
namespace {

constexpr int64_t kSlice = 500;
constexpr int64_t kSweepMs = int64_t{10} * 60 * 1000;
constexpr int64_t kCountMs = 10'000;
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
  const size_t forgotten = store_.delete_old_idempotent_replies(tx, now_ms - kRememberMs, kSlice);
  // Nothing has ended before the time 0, so that keeps all.
  const size_t removed = store_.remove_old(tx, keep_days == 0 ? 0 : now_ms - keep_days * kDayMs, kSlice);
  std::move(tx).commit(alive_.bind([this, forgotten, removed](const Commit& outcome) {
    if (!outcome) log_.warn("old calls could not be removed", {{"why", outcome.error().text}});
    const bool more =
        outcome && (outcome.result(forgotten).size() == kSlice || outcome.result(removed).size() == kSlice);
    if (outcome && !outcome.result(removed).empty())
      log_.info("old calls were removed", {{"count", outcome.result(removed).size()}});
    if (more) return sweep();
    sweep_timer_.after_ms(kSweepMs, [this] { sweep(); });
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
    count_timer_.after_ms(kCountMs, [this] { count(); });
  }));
}

}  // namespace patchbay::ai_voice
