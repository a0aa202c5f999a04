#include "retention.h"

#include "transcript_limits.h"

namespace patchbay::transcripts {
namespace {

constexpr int64_t kDayMs = 86'400'000;

}  // namespace

Retention::Retention(const Host& host, const Archive& archive)
    : host_(host),
      archive_(archive),
      log_(host),
      list_old_(Statement::find(host, "list_old")),
      delete_(Statement::find(host, "delete")),
      timer_(host) {}

void Retention::sweep_later() {
  timer_.after_ms(kSweepIntervalMs, [this] { sweep(); });
}

void Retention::sweep() {
  if (keep_days_ == 0) return sweep_later();
  query(host_, list_old_, {host_.wall_ms() - keep_days_ * kDayMs, kMaxSweptRows},
        alive_.bind([this](const Result<Rows>& rows) {
          if (!rows || rows->empty()) return sweep_later();
          std::vector<OldTranscript> all;
          for (size_t i = 0; i < rows->size(); ++i) {
            const auto text = [&](size_t column) { return std::string(rows->text(i, column)); };
            all.push_back({text(0), text(1), text(3), rows->integer(i, 2)});
          }
          remove_files(std::move(all));
        }));
}

// Deletes the file first: the next sweep finds a row without a file, but never a file without a row.
void Retention::remove_files(std::vector<OldTranscript> all) {
  auto removed = alive_.bind(
      [this](const std::vector<OldTranscript>& deleted, bool more) { delete_rows(deleted, more); });
  const Status posted =
      post_worker(host_, [&archive = archive_, &host = host_, all = std::move(all), removed] {
        std::vector<OldTranscript> deleted;
        for (const OldTranscript& one : all)
          if (archive.remove(one.tenant, one.file)) deleted.push_back(one);
        const bool more = static_cast<int64_t>(deleted.size()) == kMaxSweptRows;
        post(host, kMainStrand,
             [removed, deleted = std::move(deleted), more]() mutable { removed(deleted, more); });
      });
  if (!posted) sweep_later();
}

void Retention::delete_rows(const std::vector<OldTranscript>& all, bool more) {
  if (all.empty()) return sweep_later();
  Transaction tx(host_);
  for (const OldTranscript& one : all) tx.exec(delete_, {one.tenant, one.call_id, one.attempt});
  std::move(tx).commit(alive_.bind([this, count = all.size(), more](const Commit& outcome) {
    if (outcome) log_.info("old transcripts were deleted", {{"count", count}});
    if (outcome && more) return sweep();
    sweep_later();
  }));
}

}  // namespace patchbay::transcripts
