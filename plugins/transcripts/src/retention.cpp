#include "retention.h"

namespace patchbay::transcripts {
namespace {

constexpr int64_t kHourMs = 3'600'000;
constexpr int64_t kDayMs = 24 * kHourMs;
constexpr int64_t kAtOnce = 200;  // rows, so that the writer is not held up

}  // namespace

Retention::Retention(const Host& host, const Archive& archive)
    : host_(host),
      archive_(archive),
      log_(host),
      old_(Statement::find(host, "old")),
      forget_(Statement::find(host, "forget")),
      timer_(host) {}

void Retention::again() {
  timer_.after_ms(kHourMs, [this] { sweep(); });
}

void Retention::sweep() {
  if (keep_days_ == 0) return again();
  query(host_, old_, {host_.wall_ms() - keep_days_ * kDayMs, kAtOnce},
        alive_.bind([this](const Result<Rows>& rows) {
          if (!rows || rows->empty()) return again();
          std::vector<Old> all;
          for (size_t i = 0; i < rows->size(); ++i) {
            const auto text = [&](size_t column) { return std::string(rows->text(i, column)); };
            all.push_back({text(0), text(1), text(3), rows->integer(i, 2)});
          }
          remove(std::move(all));
        }));
}

// The file first: a row whose file has gone is removed by the next sweep, a file without a row never.
void Retention::remove(std::vector<Old> all) {
  auto removed = alive_.bind([this](const std::vector<Old>& gone, bool more) { forget(gone, more); });
  const Status taken =
      post_worker(host_, [&archive = archive_, &host = host_, all = std::move(all), removed] {
        std::vector<Old> gone;
        for (const Old& one : all)
          if (archive.remove(one.tenant, one.file)) gone.push_back(one);
        const bool more = static_cast<int64_t>(gone.size()) == kAtOnce;
        post(host, kMainStrand, [removed, gone = std::move(gone), more]() mutable { removed(gone, more); });
      });
  if (!taken) again();
}

void Retention::forget(const std::vector<Old>& all, bool more) {
  if (all.empty()) return again();
  Transaction tx(host_);
  for (const Old& one : all) tx.exec(forget_, {one.tenant, one.call_id, one.attempt});
  std::move(tx).commit(alive_.bind([this, count = all.size(), more](const Commit& outcome) {
    if (outcome) log_.info("old transcripts were removed", {{"count", count}});
    if (outcome && more) return sweep();
    again();
  }));
}

}  // namespace patchbay::transcripts
