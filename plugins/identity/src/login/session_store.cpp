#include "login/session_store.h"

#include <patchbay/hex.h>
#include <patchbay/random_id.h>

#include "crypto/digest.h"
#include "crypto/random.h"
#include "identity_limits.h"
#include "token_issuer.h"

namespace patchbay::identity {
namespace {

std::string cookie_hash(std::string_view cookie) { return to_hex(lib::sha256(cookie)); }

}  // namespace

SessionStore::SessionStore(Context& context)
    : context_(context),
      get_(Statement::find(context.host, "session_get")),
      add_(Statement::find(context.host, "session_add")),
      remove_(Statement::find(context.host, "session_remove")),
      trim_(Statement::find(context.host, "session_trim")) {}

void SessionStore::find(const std::string& tenant, const std::string& cookie,
                        Function<void(Result<std::optional<Session>>)> done) {
  if (cookie.empty()) return done(std::optional<Session>());
  query(
      context_.host, get_, {cookie_hash(cookie), tenant},
      alive_.bind([this, tenant, done = std::move(done)](const Result<Rows>& rows) {
        if (!rows) return done(rows.error());
        std::optional<Session> found;
        if (!rows->empty() && rows->integer(0, 4) > context_.host.wall_ms())
          found = Session{std::string(rows->text(0, 0)), std::string(rows->text(0, 1)), rows->integer(0, 3)};
        if (found) {
          const std::string proof = credential_proof(context_, tenant, found->username);
          const bool has_changed = proof.empty() || !lib::equal_constant_time(proof, rows->text(0, 2));
          if (has_changed || context_.revoked.contains(found->sid)) found.reset();
        }
        done(std::move(found));
      }));
}

Result<NewSession> SessionStore::add(Transaction& tx, const std::string& tenant, const std::string& username,
                                     const std::string& previous) const {
  NewSession made;
  PB_TRY_VALUE(made.cookie, lib::random_base62(kCookieCharacters));
  PB_TRY_VALUE(made.session.sid, random_id({}, 32));
  made.session.username = username;
  made.session.signed_in_ms = context_.host.wall_ms();
  if (!previous.empty()) tx.exec(remove_, {cookie_hash(previous), tenant});
  tx.exec(trim_, {tenant, username, kMaxSessionsPerUser - 1});
  tx.exec(add_, {cookie_hash(made.cookie), made.session.sid, tenant, username,
                 credential_proof(context_, tenant, username), made.session.signed_in_ms,
                 made.session.signed_in_ms + context_.settings.session_lifetime_sec * 1000});
  return made;
}

}  // namespace patchbay::identity
