#include "revocation.h"

#include "identity_limits.h"

namespace patchbay::identity {

Revocation::Revocation(Context& context)
    : context_(context),
      refresh_family_(Statement::find(context.host, "refresh_revoke_family")),
      refresh_session_(Statement::find(context.host, "refresh_revoke_session")),
      session_(Statement::find(context.host, "session_remove_sid")) {}

// No token lives longer, whatever the lifetime was when it was issued.
int64_t Revocation::last_expiry_ms() const { return context_.host.wall_ms() + kMaxTokenLifetimeMs; }

void Revocation::token(const std::string& tenant, const std::string& id, int64_t expires_ms, Done done) {
  Transaction tx = context_.revoked.begin();
  context_.revoked.add(tx, tenant, id, expires_ms);
  commit(std::move(tx), std::move(done));
}

void Revocation::family(const std::string& tenant, const std::string& family, Done done) {
  Transaction tx = context_.revoked.begin();
  context_.revoked.add(tx, tenant, family, last_expiry_ms());
  tx.exec(refresh_family_, {family, tenant});
  commit(std::move(tx), std::move(done));
}

void Revocation::sessions(const std::string& tenant, const std::vector<std::string>& sids, Done done) {
  Transaction tx = context_.revoked.begin();
  for (const std::string& sid : sids) {
    context_.revoked.add(tx, tenant, sid, last_expiry_ms());
    tx.exec(refresh_session_, {sid, tenant});
    tx.exec(session_, {sid, tenant});
  }
  commit(std::move(tx), std::move(done));
}

void Revocation::commit(Transaction tx, Done done) {
  std::move(tx).commit(alive_.bind([this, done = std::move(done)](const Commit& commit) mutable {
    if (!commit) {
      context_.log.error("tokens could not be revoked", {{"why", commit.error().text}});
      return done(commit.error());
    }
    context_.revoked.refresh(std::move(done));
  }));
}

}  // namespace patchbay::identity
