#include "refresh_tokens.h"

#include <patchbay/hex.h>
#include <patchbay/random_id.h>

#include <algorithm>

#include "crypto/digest.h"
#include "crypto/random.h"
#include "identity_limits.h"
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
  std::string family;
  std::string credential_hash;
  int64_t expires_ms;
  bool used;
  int64_t signed_in_ms;
};

RefreshTokens::RefreshTokens(Context& context)
    : context_(context),
      get_(Statement::find(context.host, "refresh_get")),
      add_(Statement::find(context.host, "refresh_add")),
      use_(Statement::find(context.host, "refresh_use")),
      revoke_family_(Statement::find(context.host, "refresh_revoke_family")),
      expire_(Statement::find(context.host, "refresh_expire")),
      sweep_timer_(context.host) {
  sweep_later();
}

void RefreshTokens::issue(const Grant& grant, Function<void(Result<std::string>)> done) {
  auto token = make_token();
  const auto family = random_id({}, 32);
  if (!token || !family) return done({Code::unavailable, "no random numbers"});
  Transaction tx(context_.host);
  add_to(tx, *token, *family, grant, context_.host.wall_ms());
  std::move(tx).commit(alive_.bind([token = *std::move(token), done = std::move(done)](const Commit& commit) {
    if (!commit) return done(commit.error());
    done(token);
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
        const auto text = [&](size_t column) { return std::string(rows->text(0, column)); };
        const Stored stored{{tenant, text(1), text(2), text(3)},
                            text(0),
                            text(4),
                            rows->integer(0, 5),
                            rows->integer(0, 6) != 0,
                            rows->integer(0, 7)};
        if (stored.grant.client_id != client_id) return done({Code::denied, "of another client"});
        if (stored.expires_ms <= context_.host.wall_ms()) return done({Code::denied, "expired"});
        replace(hash, stored, std::move(done));
      }));
}

void RefreshTokens::replace(const std::string& hash, const Stored& stored, Done done) {
  const char* refusal = nullptr;
  if (stored.used) refusal = "used before";
  const std::string current = credential_hash(stored.grant);
  if (current.empty() || !lib::equal_constant_time(current, stored.credential_hash))
    refusal = "the user has changed";
  if (refusal != nullptr) {
    revoke_family(stored.family, stored.grant, refusal);
    return done({Code::denied, refusal});
  }
  auto token = make_token();
  if (!token) return done(token.error());
  Transaction tx(context_.host);
  const int64_t now_ms = context_.host.wall_ms();
  tx.exec(use_, {hash, now_ms, stored.grant.tenant}, 1);
  add_to(tx, *token, stored.family, stored.grant, stored.signed_in_ms > 0 ? stored.signed_in_ms : now_ms);
  std::move(tx).commit(alive_.bind([this, token = *std::move(token), family = stored.family,
                                    grant = stored.grant, done = std::move(done)](const Commit& commit) {
    if (commit) return done(Rotated{grant, token});
    if (commit.code() != Code::conflict) return done(commit.error());
    revoke_family(family, grant, "used before");  // a concurrent request has used it
    done({Code::denied, "used before"});
  }));
}

void RefreshTokens::revoke_family(const std::string& family, const Grant& grant, const char* why) {
  context_.log.warn("refresh tokens were revoked",
                    {{"tenant", grant.tenant}, {"user", grant.username}, {"why", why}});
  Transaction tx(context_.host);
  tx.exec(revoke_family_, {family, grant.tenant});
  std::move(tx).commit(alive_.bind([this](const Commit& commit) {
    if (!commit) context_.log.error("refresh tokens could not be revoked", {{"why", commit.error().text}});
  }));
}

void RefreshTokens::add_to(Transaction& tx, const std::string& token, const std::string& family,
                           const Grant& grant, int64_t signed_in_ms) const {
  const int64_t expires_ms = std::min(context_.host.wall_ms() + context_.settings.refresh_lifetime_sec * 1000,
                                      signed_in_ms + context_.settings.sign_in_lifetime_sec * 1000);
  tx.exec(add_, {token_hash(token), family, grant.tenant, grant.username, grant.client_id, grant.scope,
                 credential_hash(grant), expires_ms, signed_in_ms});
}

// Returns a keyed hash that changes when the user's tokens must end; "": no such user.
std::string RefreshTokens::credential_hash(const Grant& grant) const {
  const User* user = context_.users.enabled(grant.tenant, grant.username);
  return user != nullptr ? to_hex(credential_mac(context_, *user)) : std::string();
}

void RefreshTokens::sweep_later() {
  sweep_timer_.after_ms(kRefreshSweepMs, [this] {
    Transaction tx(context_.host);
    tx.exec(expire_, {context_.host.wall_ms()});
    std::move(tx).commit([](const Commit&) {});
    sweep_later();
  });
}

}  // namespace patchbay::identity
