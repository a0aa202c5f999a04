#include "refresh_tokens.h"

#include <patchbay/hex.h>

#include <algorithm>

#include "crypto/digest.h"
#include "crypto/random.h"
#include "token_issuer.h"

namespace patchbay::identity {
namespace {

std::string token_hash(std::string_view token) { return to_hex(lib::sha256(token)); }

Result<std::string> make_token() {
  PB_TRY_VALUE(const std::string secret, lib::random_base62(43));
  return "rt_" + secret;
}

}  // namespace

struct RefreshTokens::Stored {
  Grant grant;
  std::string proof;
  int64_t expires_ms = 0;
  bool used = false;

  static Stored read(const Rows& rows, const std::string& tenant) {
    const auto text = [&](size_t column) { return std::string(rows.text(0, column)); };
    Stored stored;
    stored.grant = {tenant, text(1), text(2), text(3), text(0), text(8), rows.integer(0, 7)};
    stored.proof = text(4);
    stored.expires_ms = rows.integer(0, 5);
    stored.used = rows.integer(0, 6) != 0;
    return stored;
  }
};

RefreshTokens::RefreshTokens(Context& context, Revocation& revocation)
    : context_(context),
      revocation_(revocation),
      get_(Statement::find(context.host, "refresh_get")),
      add_(Statement::find(context.host, "refresh_add")),
      use_(Statement::find(context.host, "refresh_use")) {}

Result<std::string> RefreshTokens::add_first(Transaction& tx, const Grant& grant) const {
  PB_TRY_VALUE(std::string token, make_token());
  add_to(tx, token, grant);
  return token;
}

void RefreshTokens::issue(const Grant& grant, Function<void(Result<std::string>)> done) {
  Transaction tx(context_.host);
  auto token = add_first(tx, grant);
  if (!token) return done(token.error());
  std::move(tx).commit(alive_.bind([token = *std::move(token), done = std::move(done)](const Commit& commit) {
    if (!commit) return done(commit.error());
    done(token);
  }));
}

void RefreshTokens::find(const std::string& token, const std::string& tenant,
                         Function<void(Result<Grant>)> done) {
  query(context_.host, get_, {token_hash(token), tenant},
        alive_.bind([tenant, done = std::move(done)](const Result<Rows>& rows) {
          if (!rows) return done(rows.error());
          if (rows->empty()) return done({Code::denied, "unknown"});
          done(Stored::read(*rows, tenant).grant);
        }));
}

void RefreshTokens::rotate(const std::string& token, const std::string& tenant, const std::string& client_id,
                           Done done) {
  const std::string hash = token_hash(token);
  query(
      context_.host, get_, {hash, tenant},
      alive_.bind([this, hash, tenant, client_id, done = std::move(done)](const Result<Rows>& rows) mutable {
        if (!rows) return done(rows.error());
        if (rows->empty()) return done({Code::denied, "unknown"});
        const Stored stored = Stored::read(*rows, tenant);
        if (stored.grant.client_id != client_id) return done({Code::denied, "of another client"});
        if (stored.expires_ms <= context_.host.wall_ms()) return done({Code::denied, "expired"});
        replace(hash, stored, std::move(done));
      }));
}

void RefreshTokens::replace(const std::string& hash, const Stored& stored, Done done) {
  const char* refusal = nullptr;
  if (stored.used) refusal = "used before";
  const std::string current = credential_proof(context_, stored.grant.tenant, stored.grant.username);
  if (current.empty() || !lib::equal_constant_time(current, stored.proof)) refusal = "the user has changed";
  if (refusal != nullptr) return revoke_family(stored.grant, refusal, std::move(done));
  auto token = make_token();
  if (!token) return done(token.error());
  Transaction tx(context_.host);
  const int64_t now_ms = context_.host.wall_ms();
  Grant grant = stored.grant;
  if (grant.signed_in_ms == 0) grant.signed_in_ms = now_ms;  // of version 1
  tx.exec(use_, {hash, now_ms, grant.tenant}, 1);
  add_to(tx, *token, grant);
  std::move(tx).commit(alive_.bind(
      [this, token = *std::move(token), grant, done = std::move(done)](const Commit& commit) mutable {
        if (commit) return done(Rotated{grant, token});
        if (commit.code() != Code::conflict) return done(commit.error());
        revoke_family(grant, "used before", std::move(done));  // a concurrent request has used it
      }));
}

void RefreshTokens::revoke_family(const Grant& grant, const char* why, Done done) {
  context_.log.warn("refresh tokens were revoked",
                    {{"tenant", grant.tenant}, {"user", grant.username}, {"why", why}});
  revocation_.family(grant.tenant, grant.family, [why, done = std::move(done)](const Status& ended) {
    done(ended ? Error{Code::denied, why} : ended.error());
  });
}

void RefreshTokens::add_to(Transaction& tx, const std::string& token, const Grant& grant) const {
  const int64_t expires_ms = std::min(context_.host.wall_ms() + context_.settings.refresh_lifetime_sec * 1000,
                                      grant.signed_in_ms + context_.settings.sign_in_lifetime_sec * 1000);
  tx.exec(add_, {token_hash(token), grant.family, grant.tenant, grant.username, grant.client_id, grant.scope,
                 credential_proof(context_, grant.tenant, grant.username), expires_ms, grant.signed_in_ms,
                 grant.sid});
}

}  // namespace patchbay::identity
