#include "signing_key_store.h"

#include <patchbay/strand.h>

#include <fstream>
#include <sstream>

namespace patchbay::identity {
namespace {

std::string context_of(std::string_view kid) { return "identity_signing_key/" + std::string(kid); }

}  // namespace

Result<KeyRing> read_key_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) return {Code::not_found, "cannot read keyFile " + path};
  auto key = SigningKey::from_pem(text.str());
  if (!key) return std::move(key).error().within("keyFile " + path);
  std::vector<SigningKey> keys;
  keys.push_back(*std::move(key));
  return KeyRing(std::move(keys));
}

SigningKeyStore::SigningKeyStore(const Host& host)
    : host_(&host),
      list_(Statement::find(host, "signing_keys")),
      add_first_(Statement::find(host, "add_first_signing_key")) {}

void SigningKeyStore::load(const std::string& file, Done done) {
  done_ = std::move(done);
  if (file.empty()) {
    load_stored(true);
  } else {
    load_file(file);
  }
}

void SigningKeyStore::load_file(const std::string& file) {
  auto finish = alive_.bind([this](Result<KeyRing> keys) { done_(std::move(keys)); });
  const Status posted = post_worker(*host_, [host = host_, file, finish = std::move(finish)]() mutable {
    post(*host, kMainStrand,
         [keys = read_key_file(file), finish = std::move(finish)]() mutable { finish(std::move(keys)); });
  });
  if (!posted) done_(posted.error());
}

void SigningKeyStore::load_stored(bool may_create) {
  query(*host_, list_, {}, alive_.bind([this, may_create](const Result<Rows>& rows) {
    if (!rows) return done_(rows.error());
    if (rows->empty() && may_create) return create();
    done_(unseal_all(*rows));
  }));
}

// Nodes may race to create the key; the first one stored wins.
void SigningKeyStore::create() {
  const auto key = SigningKey::generate();
  if (!key) return done_(key.error());
  const auto der = key->to_der();
  if (!der) return done_(der.error());
  const auto sealed = seal(*host_, *der, context_of(key->kid()));
  if (!sealed) return done_(sealed.error());
  Transaction tx(*host_);
  tx.exec(add_first_, {key->kid(), Value::bytes(*sealed), host_->wall_ms()});
  std::move(tx).commit(alive_.bind([this](const Commit& commit) {
    if (!commit) return done_(commit.error());
    load_stored(false);
  }));
}

Result<KeyRing> SigningKeyStore::unseal_all(const Rows& rows) const {
  std::vector<SigningKey> keys;
  for (size_t row = 0; row < rows.size(); ++row) {
    auto der = unseal(*host_, rows.text(row, 1), context_of(rows.text(row, 0)));
    if (!der)
      return {Code::failed,
              "the signing key in the store cannot be decrypted (" + der.error().text +
                  "): restore the server's key file, or delete the rows of identity_signing_key"};
    PB_TRY_VALUE(SigningKey key, SigningKey::from_der(*der));
    keys.push_back(std::move(key));
  }
  if (keys.empty()) return {Code::failed, "the store has no signing key"};
  return KeyRing(std::move(keys));
}

}  // namespace patchbay::identity
