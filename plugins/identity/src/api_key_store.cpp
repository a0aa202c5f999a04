#include "api_key_store.h"

#include <patchbay/hex.h>
#include <patchbay/json.h>
#include <patchbay/random_id.h>
#include <patchbay/text.h>
#include <patchbay/utf8.h>

#include <algorithm>
#include <utility>

#include "crypto/digest.h"
#include "crypto/random.h"
#include "identity_limits.h"

namespace patchbay::identity {
namespace {

constexpr std::string_view kPrefix = "ak_";
constexpr size_t kSecretBytes = 43;

std::string hash_of(std::string_view key) { return to_hex(lib::sha256(key)); }

ApiKey read_key(const Rows& rows, size_t row) {
  const auto text = [&](size_t column) { return std::string(rows.text(row, column)); };
  return {text(0), text(1), text(2), text(3), rows.integer(row, 4), text(5)};
}

// What the audit log stores of a key.
std::string audited(const ApiKey& key) {
  return JsonWriter().object().member("name", key.name).member("createdBy", key.created_by).end().str();
}

}  // namespace

bool is_key_name(std::string_view name) {
  if (name.empty() || name.front() == ' ' || name.back() == ' ') return false;
  for (size_t at = 0; at < name.size();) {
    const uint32_t code = next_code_point(name, at);
    if (code == kInvalidCodePoint || is_unprintable(code)) return false;
  }
  return true;
}

bool looks_like_api_key(std::string_view bearer) {
  return bearer.size() == kPrefix.size() + kSecretBytes && bearer.substr(0, kPrefix.size()) == kPrefix &&
         std::all_of(bearer.begin() + kPrefix.size(), bearer.end(), is_alphanumeric);
}

ApiKeyStore::ApiKeyStore(const Host& host)
    : host_(&host),
      add_(Statement::find(host, "key_add")),
      find_(Statement::find(host, "key_find")),
      list_(Statement::find(host, "key_list")),
      get_(Statement::find(host, "key_get")),
      remove_(Statement::find(host, "key_remove")),
      trail_(host) {}

void ApiKeyStore::create(const std::string& tenant, const std::string& name, const std::string& created_by,
                         audit::Record record, Function<void(Result<NewApiKey>)> done) {
  const auto secret = lib::random_base62(kSecretBytes);
  const auto id = random_id({}, 16);
  if (!secret || !id) return done({Code::unavailable, "no random numbers"});
  NewApiKey made;
  made.secret = std::string(kPrefix) + *secret;
  made.key = {"key-" + *id, tenant, name, secret->substr(kSecretBytes - 4), host_->wall_ms(), created_by};
  Transaction tx(*host_);
  tx.exec(add_,
          {made.key.id, tenant, name, hash_of(made.secret), made.key.hint, made.key.created_ms, created_by});
  record.tenant = tenant;
  record.object = made.key.id;
  record.after = audited(made.key);
  trail_.commit(std::move(tx), std::move(record),
                alive_.bind([made, done = std::move(done)](const Commit& commit) {
                  if (!commit) return done(commit.error());
                  done(made);
                }));
}

void ApiKeyStore::list(const std::string& tenant, Function<void(Result<std::vector<ApiKey>>)> done) {
  query(*host_, list_, {tenant}, alive_.bind([done = std::move(done)](const Result<Rows>& rows) {
    if (!rows) return done(rows.error());
    std::vector<ApiKey> keys;
    for (size_t row = 0; row < rows->size(); ++row) keys.push_back(read_key(*rows, row));
    done(std::move(keys));
  }));
}

void ApiKeyStore::remove(const std::string& tenant, const std::string& id, audit::Record record,
                         Function<void(Result<std::optional<ApiKey>>)> done) {
  query(*host_, get_, {id, tenant},
        alive_.bind(
            [this, record = std::move(record), done = std::move(done)](const Result<Rows>& rows) mutable {
              if (!rows) return done(rows.error());
              if (rows->empty()) return done(std::optional<ApiKey>());
              remove_row(read_key(*rows, 0), std::move(record), std::move(done));
            }));
}

// Keys never change, so what was read before is what the row has when it is deleted.
void ApiKeyStore::remove_row(const ApiKey& key, audit::Record record,
                             Function<void(Result<std::optional<ApiKey>>)> done) {
  Transaction tx(*host_);
  tx.exec(remove_, {key.id, key.tenant}, 1);
  record.tenant = key.tenant;
  record.object = key.id;
  record.before = audited(key);
  trail_.commit(std::move(tx), std::move(record),
                alive_.bind([this, key, done = std::move(done)](const Commit& commit) {
                  if (!commit && commit.code() == Code::conflict) return done(std::optional<ApiKey>());
                  if (!commit) return done(commit.error());
                  ++removals_;
                  cache_.clear();
                  done(std::optional(key));
                }));
}

void ApiKeyStore::verify(const std::string& bearer, Function<void(Result<ApiKey>)> done) {
  if (!looks_like_api_key(bearer)) return done({Code::denied, "not an API key"});
  const std::string hash = hash_of(bearer);
  const auto cached = cache_.find(hash);
  if (cached != cache_.end() && now_ms() < cached->second.until_ms) return done(cached->second.key);
  look_up(hash, std::move(done));
}

void ApiKeyStore::look_up(const std::string& hash, Function<void(Result<ApiKey>)> done) {
  query(
      *host_, find_, {hash},
      alive_.bind([this, hash, before = removals_, done = std::move(done)](const Result<Rows>& rows) mutable {
        if (!rows) return done(rows.error());
        if (before != removals_) return look_up(hash, std::move(done));
        if (rows->empty()) return done({Code::denied, "an unknown or revoked API key"});
        ApiKey key;
        key.id = rows->text(0, 0);
        key.tenant = rows->text(0, 1);
        key.name = rows->text(0, 2);
        if (cache_.size() >= kMaxCachedApiKeys) cache_.clear();
        cache_[hash] = {key, now_ms() + kApiKeyCacheMs};
        done(std::move(key));
      }));
}

}  // namespace patchbay::identity
