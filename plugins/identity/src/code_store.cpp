#include "code_store.h"

#include <patchbay/hex.h>
#include <patchbay/random_id.h>

#include "crypto/digest.h"
#include "crypto/random.h"
#include "identity_limits.h"
#include "pkce.h"
#include "token_issuer.h"

namespace patchbay::identity {
namespace {

std::string code_hash(std::string_view code) { return to_hex(lib::sha256(code)); }

}  // namespace

struct CodeStore::Stored {
  Grant grant;
  CodeBinding binding;
  std::string proof;
  int64_t created_ms = 0;
  bool used = false;

  static Stored read(const Rows& rows, const std::string& tenant) {
    const auto text = [&](size_t column) { return std::string(rows.text(0, column)); };
    Stored stored;
    stored.grant = {tenant, text(2), text(3), text(4), text(0), text(1), rows.integer(0, 9)};
    stored.proof = text(5);
    stored.binding = {text(6), text(7), text(8)};
    stored.created_ms = rows.integer(0, 10);
    stored.used = rows.integer(0, 11) != 0;
    return stored;
  }
};

CodeStore::CodeStore(Context& context, RefreshTokens& refresh, Revocation& revocation)
    : context_(context),
      refresh_(refresh),
      revocation_(revocation),
      get_(Statement::find(context.host, "code_get")),
      add_(Statement::find(context.host, "code_add")),
      use_(Statement::find(context.host, "code_use")),
      trim_(Statement::find(context.host, "code_trim")) {}

Result<std::string> CodeStore::add(Transaction& tx, Grant grant, const CodeBinding& binding) const {
  PB_TRY_VALUE(std::string code, lib::random_base62(kCodeCharacters));
  PB_TRY_VALUE(grant.family, random_id({}, 32));
  tx.exec(trim_, {grant.tenant, grant.username, kMaxCodesPerUser - 1});
  tx.exec(add_, {code_hash(code), grant.family, grant.sid, grant.tenant, grant.username, grant.client_id,
                 grant.scope, credential_proof(context_, grant.tenant, grant.username), binding.redirect_uri,
                 binding.challenge, binding.nonce, grant.signed_in_ms, context_.host.wall_ms()});
  return code;
}

void CodeStore::redeem(const Exchange& exchange, Done done) {
  query(context_.host, get_, {code_hash(exchange.code), exchange.tenant},
        alive_.bind([this, exchange, done = std::move(done)](const Result<Rows>& rows) mutable {
          if (!rows) return done(rows.error());
          if (rows->empty()) return done({Code::denied, "unknown"});
          const Stored stored = Stored::read(*rows, exchange.tenant);
          if (Status valid = check(stored, exchange); !valid) return done(valid.error());
          if (stored.used) return revoke(stored.grant, std::move(done));
          use(stored, exchange, std::move(done));
        }));
}

// A wrong client, redirect URI or verifier does not use the code up, so that someone who has seen it cannot
// keep its client from using it.
Status CodeStore::check(const Stored& stored, const Exchange& exchange) const {
  if (stored.grant.client_id != exchange.client_id) return {Code::denied, "of another client"};
  if (stored.binding.redirect_uri != exchange.redirect_uri)
    return {Code::denied, "sent to another redirect URI"};
  if (!verifies_challenge(exchange.verifier, stored.binding.challenge))
    return {Code::denied, "the code_verifier is wrong"};
  if (stored.used) return {};
  if (context_.host.wall_ms() >= stored.created_ms + kCodeMs) return {Code::denied, "expired"};
  const std::string proof = credential_proof(context_, stored.grant.tenant, stored.grant.username);
  if (proof.empty() || !lib::equal_constant_time(proof, stored.proof))
    return {Code::denied, "the user has changed"};
  if (context_.revoked.contains(stored.grant.sid)) return {Code::denied, "the session was ended"};
  return {};
}

void CodeStore::use(const Stored& stored, const Exchange& exchange, Done done) {
  Transaction tx(context_.host);
  tx.exec(use_, {code_hash(exchange.code), context_.host.wall_ms(), exchange.tenant}, 1);
  Redeemed redeemed{stored.grant, stored.binding.nonce, {}};
  if (stored.grant.has("offline_access")) {
    auto token = refresh_.add_first(tx, stored.grant);
    if (!token) return done(token.error());
    redeemed.refresh_token = *std::move(token);
  }
  std::move(tx).commit(alive_.bind(
      [this, redeemed = std::move(redeemed), done = std::move(done)](const Commit& commit) mutable {
        if (commit) return done(redeemed);
        if (commit.code() != Code::conflict) return done(commit.error());
        revoke(redeemed.grant, std::move(done));  // a concurrent request has used it
      }));
}

void CodeStore::revoke(const Grant& grant, Done done) {
  context_.log.warn("an authorization code was used twice, and its tokens are revoked",
                    {{"tenant", grant.tenant}, {"user", grant.username}, {"client", grant.client_id}});
  revocation_.family(grant.tenant, grant.family, [done = std::move(done)](const Status& ended) {
    done(ended ? Error{Code::denied, "used before"} : ended.error());
  });
}

}  // namespace patchbay::identity
