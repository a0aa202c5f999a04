#include "retention.h"

#include "transcript_limits.h"

namespace patchbay::transcripts {
namespace {

constexpr int64_t kDayMs = 86'400'000;

}  // namespace

KeepDays KeepDays::read(const Config& config) {
  KeepDays keep;
  keep.by_default = config.plugin()["keepDays"].integer();
  for (const Config::Tenant& tenant : config.tenants())
    if (const JsonView days = tenant.section["keepDays"]) keep.by_tenant.emplace(tenant.host, days.integer());
  return keep;
}

int64_t KeepDays::of(std::string_view tenant) const {
  const auto found = by_tenant.find(tenant);
  return found != by_tenant.end() ? found->second : by_default;
}

Retention::Retention(const Host& host, const Deletion& deletion)
    : host_(host),
      deletion_(deletion),
      log_(host),
      next_tenant_(Statement::find(host, "next_tenant")),
      list_old_(Statement::find(host, "list_old")),
      prune_shares_(Statement::find(host, "share_prune")),
      prune_mails_(Statement::find(host, "mail_prune")),
      timer_(host) {}

void Retention::sweep_later() {
  timer_.after_ms(kSweepIntervalMs, [this] { sweep(); });
}

void Retention::sweep() { sweep_after(""); }

// Goes through the tenants that have transcripts, configured or not.
void Retention::sweep_after(const std::string& tenant) {
  query(host_, next_tenant_, {tenant}, alive_.bind([this](const Result<Rows>& rows) {
    if (!rows || rows->empty()) return prune();
    sweep_tenant(std::string(rows->text(0, 0)));
  }));
}

void Retention::sweep_tenant(const std::string& tenant) {
  const int64_t days = keep_days_.of(tenant);
  if (days == 0) return sweep_after(tenant);
  query(host_, list_old_, {tenant, host_.wall_ms() - days * kDayMs, kMaxSweptRows},
        alive_.bind([this, tenant](const Result<Rows>& rows) {
          if (!rows || rows->empty()) return sweep_after(tenant);
          delete_old(tenant, *rows);
        }));
}

void Retention::delete_old(const std::string& tenant, const Rows& rows) {
  Transaction tx(host_);
  for (size_t i = 0; i < rows.size(); ++i)
    deletion_.add_to(tx, tenant, std::string(rows.text(i, 0)), rows.integer(i, 1),
                     std::string(rows.text(i, 2)), false);
  std::move(tx).commit(alive_.bind([this, tenant, count = rows.size()](const Commit& outcome) {
    if (!outcome) return sweep_after(tenant);
    log_.info("old transcripts were deleted", {{"tenant", tenant}, {"count", count}});
    sweep_tenant(tenant);
  }));
}

void Retention::prune() {
  Transaction tx(host_);
  tx.exec(prune_shares_, {host_.wall_ms(), kMaxPrunedRows});
  tx.exec(prune_mails_, {host_.wall_ms() - kMailKeepMs, kMaxPrunedRows});
  std::move(tx).commit(alive_.bind([this](const Commit&) { sweep_later(); }));
}

}  // namespace patchbay::transcripts
