#include "signing_key_store.h"

#include <algorithm>
#include <fstream>
#include <sstream>

#include "identity_limits.h"
#include "owner/owner.h"

namespace patchbay::identity {
namespace {

// Keys and secret may be missing, one after the other.
constexpr int kLoadAttempts = 5;
constexpr char kMacSecret[] = "mac";

std::string context_of(std::string_view kid) { return "identity_signing_key/" + std::string(kid); }
std::string secret_context() { return std::string("identity_secret/") + kMacSecret; }

int rank_of(const std::string& state) { return state == "current" ? 0 : state == "next" ? 1 : 2; }

}  // namespace

Result<KeyRing> read_key_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) return {Code::not_found, "cannot read keyFile " + path};
  auto key = SigningKey::from_pem(text.str());
  if (!key) return std::move(key).error().within("keyFile " + path);
  PB_TRY_VALUE(std::string mac_key, key->to_der());
  std::vector<SigningKey> keys;
  keys.push_back(*std::move(key));
  return KeyRing(std::move(keys), std::move(mac_key));
}

SigningKeyStore::SigningKeyStore(Context& context)
    : context_(context),
      list_(Statement::find(context.host, "signing_keys")),
      add_(Statement::find(context.host, "signing_key_add")),
      add_next_(Statement::find(context.host, "signing_key_add_next")),
      retire_(Statement::find(context.host, "signing_key_retire")),
      promote_(Statement::find(context.host, "signing_key_promote")),
      lifetime_(Statement::find(context.host, "signing_key_lifetime")),
      expire_(Statement::find(context.host, "signing_key_expire")),
      secret_(Statement::find(context.host, "secret")),
      secret_add_(Statement::find(context.host, "secret_add")),
      expiry_(context.host) {
  const auto owner = lib::Owner::read(context.host);
  is_shared_ = owner && owner->is_shared;
}

bool SigningKeyStore::is_next_new() const {
  return is_shared_ && !next_kid_.empty() &&
         context_.host.mono_ns() - next_since_ns_ < kMinNextKeyMs * 1'000'000;
}

void SigningKeyStore::load(Done done) {
  if (from_file()) return load_file(context_.settings.key_file, std::move(done));
  load_stored(kLoadAttempts, std::move(done));
}

void SigningKeyStore::reload(Done done) {
  if (from_file()) return done({});
  load_stored(kLoadAttempts, std::move(done));
}

void SigningKeyStore::load_file(const std::string& file, Done done) {
  auto shared = std::make_shared<Done>(std::move(done));  // because the worker may be refused
  auto finish = alive_.bind([this, shared](Result<KeyRing> keys) {
    if (!keys) return (*shared)(keys.error());
    context_.keys = *std::move(keys);
    infos_ = {{context_.keys.current().kid(), "current", 0, 0}};
    (*shared)({});
  });
  const Status posted =
      post_worker(context_.host, [&host = context_.host, file, finish = std::move(finish)]() mutable {
        post(host, kMainStrand,
             [keys = read_key_file(file), finish = std::move(finish)]() mutable { finish(std::move(keys)); });
      });
  if (!posted) (*shared)(posted);
}

void SigningKeyStore::load_stored(int attempts, Done done) {
  if (attempts == 0) return done({Code::failed, "the store keeps no signing key"});
  query(context_.host, list_, {},
        alive_.bind([this, attempts, done = std::move(done)](const Result<Rows>& rows) mutable {
          if (!rows) return done(rows.error());
          if (rows->empty()) return add_key(1, "current", attempts, std::move(done));
          auto keys = unseal_all(*rows);
          if (!keys) return done(keys.error());
          if (infos_.size() < 2 || infos_[1].state != "next")
            return add_key(static_cast<int64_t>(rows->size()) + 1, "next", attempts, std::move(done));
          load_secret(*std::move(keys), attempts, std::move(done));
        }));
}

void SigningKeyStore::load_secret(std::vector<SigningKey> keys, int attempts, Done done) {
  query(context_.host, secret_, {kMacSecret},
        alive_.bind([this, keys = std::move(keys), attempts,
                     done = std::move(done)](const Result<Rows>& rows) mutable {
          if (!rows) return done(rows.error());
          if (rows->empty()) return add_secret(keys.front(), attempts, std::move(done));
          auto mac_key = unseal(context_.host, rows->text(0, 0), secret_context());
          if (!mac_key)
            return done({Code::failed, "a secret in the store cannot be decrypted (" + mac_key.error().text +
                                           "): restore the server's key file"});
          context_.keys = KeyRing(std::move(keys), *std::move(mac_key));
          note_lifetime();
          expire_later();
          done({});
        }));
}

Result<SigningKeyStore::NewKey> SigningKeyStore::make_key() const {
  PB_TRY_VALUE(const SigningKey key, SigningKey::generate());
  PB_TRY_VALUE(const std::string der, key.to_der());
  PB_TRY_VALUE(std::string sealed, seal(context_.host, der, context_of(key.kid())));
  return NewKey{key.kid(), std::move(sealed)};
}

// Nodes may race to create the key; the first one stored wins.
void SigningKeyStore::add_key(int64_t seq, const char* state, int attempts, Done done) {
  const auto key = make_key();
  if (!key) return done(key.error());
  Transaction tx(context_.host);
  tx.exec(add_, {seq, key->kid, Value::bytes(key->sealed), context_.host.wall_ms(), state});
  commit_and_load(std::move(tx), attempts, std::move(done));
}

// The first key's private half, with which earlier versions keyed their hashes.
void SigningKeyStore::add_secret(const SigningKey& current, int attempts, Done done) {
  const auto der = current.to_der();
  if (!der) return done(der.error());
  const auto sealed = seal(context_.host, *der, secret_context());
  if (!sealed) return done(sealed.error());
  Transaction tx(context_.host);
  tx.exec(secret_add_, {kMacSecret, Value::bytes(*sealed)});
  commit_and_load(std::move(tx), attempts, std::move(done));
}

void SigningKeyStore::commit_and_load(Transaction tx, int attempts, Done done) {
  std::move(tx).commit(alive_.bind([this, attempts, done = std::move(done)](const Commit& commit) mutable {
    if (!commit) return done(commit.error());
    load_stored(attempts - 1, std::move(done));
  }));
}

// Leaves out retired keys whose last token has expired.
Result<std::vector<SigningKey>> SigningKeyStore::unseal_all(const Rows& rows) {
  struct Stored {
    Info info;
    SigningKey key;
  };
  std::vector<Stored> stored;
  for (size_t row = 0; row < rows.size(); ++row) {
    Info info{std::string(rows.text(row, 0)), std::string(rows.text(row, 2)), rows.integer(row, 3),
              rows.integer(row, 4)};
    if (info.state == "retired" && info.verify_until_ms <= context_.host.wall_ms()) continue;
    auto der = unseal(context_.host, rows.text(row, 1), context_of(info.kid));
    if (!der)
      return {Code::failed,
              "the signing key in the store cannot be decrypted (" + der.error().text +
                  "): restore the server's key file, or delete the rows of identity_signing_key and "
                  "identity_secret"};
    PB_TRY_VALUE(SigningKey key, SigningKey::from_der(*der));
    stored.push_back({std::move(info), std::move(key)});
  }
  std::stable_sort(stored.begin(), stored.end(), [](const Stored& a, const Stored& b) {
    return rank_of(a.info.state) < rank_of(b.info.state);
  });
  infos_.clear();
  std::vector<SigningKey> keys;
  for (Stored& entry : stored) {
    infos_.push_back(std::move(entry.info));
    keys.push_back(std::move(entry.key));
  }
  if (infos_.empty() || infos_.front().state != "current")
    return {Code::failed, "the store has no current signing key"};
  note_next();
  return keys;
}

void SigningKeyStore::note_next() {
  const bool has_next = infos_.size() > 1 && infos_[1].state == "next";
  const std::string kid = has_next ? infos_[1].kid : std::string();
  if (kid == next_kid_) return;
  next_kid_ = kid;
  next_since_ns_ = context_.host.mono_ns();
}

Result<Transaction> SigningKeyStore::rotate() {
  PB_TRY_VALUE(const NewKey next, make_key());
  const int64_t now_ms = context_.host.wall_ms();
  Transaction tx(context_.host);
  context_.revisions.raise(tx, "keys");
  tx.exec(retire_,
          {context_.keys.current().kid(), now_ms + kRetiredKeySlackMs, context_.settings.token_lifetime_sec},
          1);
  tx.exec(promote_, {}, 1);
  tx.exec(add_next_, {next.kid, Value::bytes(next.sealed), now_ms}, 1);
  return tx;
}

void SigningKeyStore::note_lifetime() {
  if (from_file()) return;
  Transaction tx(context_.host);
  tx.exec(lifetime_, {context_.keys.current().kid(), context_.settings.token_lifetime_sec});
  std::move(tx).commit([](const Commit&) {});
}

// Removes the retired key that expires first, once it does.
void SigningKeyStore::expire_later() {
  int64_t first_ms = 0;
  for (const Info& info : infos_)
    if (info.state == "retired" && (first_ms == 0 || info.verify_until_ms < first_ms))
      first_ms = info.verify_until_ms;
  if (first_ms == 0) return expiry_.cancel();
  expiry_.at_wall_ms(first_ms, [this] {
    Transaction tx(context_.host);
    tx.exec(expire_, {context_.host.wall_ms()});
    std::move(tx).commit(alive_.bind([this](const Commit&) {
      reload([this](const Status& loaded) {
        if (!loaded) context_.log.warn("signing keys were not read", {{"why", loaded.error().text}});
      });
    }));
  });
}

}  // namespace patchbay::identity
