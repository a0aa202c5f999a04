#include "revoked_tokens.h"

#include <utility>

#include "identity_limits.h"

namespace patchbay::identity {
namespace {

constexpr size_t kRevokedPageRows = 500;  // of the statement revoked_since

}  // namespace

RevokedTokens::RevokedTokens(const Host& host, const lib::RevisionPoll& revisions)
    : host_(&host),
      revisions_(revisions),
      add_(Statement::find(host, "revoked_add")),
      since_(Statement::find(host, "revoked_since")),
      expire_(Statement::find(host, "revoked_expire")) {}

bool RevokedTokens::full(const std::string& tenant) const {
  const auto count = counts_.find(tenant);
  return count != counts_.end() && count->second >= kMaxRevoked;
}

Transaction RevokedTokens::begin() const {
  Transaction tx(*host_);
  revisions_.raise(tx, "revoked");
  return tx;
}

void RevokedTokens::add(Transaction& tx, const std::string& tenant, const std::string& id,
                        int64_t expires_ms) const {
  tx.exec(add_, {id, tenant, expires_ms});
}

void RevokedTokens::refresh(Function<void(Status)> done) { refreshes_.request(std::move(done)); }

void RevokedTokens::read_page() {
  query(*host_, since_, {revision_, last_id_}, alive_.bind([this](const Result<Rows>& rows) {
    if (!rows) return end_refresh(rows.error());
    for (size_t row = 0; row < rows->size(); ++row) {
      last_id_ = rows->text(row, 0);
      revision_ = rows->integer(row, 2);
      std::string tenant(rows->text(row, 3));
      if (revoked_.try_emplace(last_id_, Revoked{tenant, rows->integer(row, 1)}).second) ++counts_[tenant];
      has_changed_ = true;
    }
    if (rows->size() >= kRevokedPageRows) return read_page();
    end_refresh({});
  }));
}

void RevokedTokens::end_refresh(const Status& status) {
  if (std::exchange(has_changed_, false) && changed_) changed_();
  refreshes_.end(status);
}

void RevokedTokens::expire(Transaction& tx) {
  const int64_t now_ms = host_->wall_ms();
  for (auto at = revoked_.begin(); at != revoked_.end();) {
    if (at->second.expires_ms > now_ms) {
      ++at;
      continue;
    }
    if (--counts_[at->second.tenant] == 0) counts_.erase(at->second.tenant);
    at = revoked_.erase(at);
  }
  tx.exec(expire_, {now_ms});
}

}  // namespace patchbay::identity
