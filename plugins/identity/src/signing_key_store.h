// SigningKeyStore: loads the signing keys from the configured file or from the store, creates them at the
// first start, and rotates those of the store. One key signs, the next one is published already, so that all
// processes and clients know it when it begins to sign, and retired ones verify what they have signed. Main
// strand.
#pragma once

#include <patchbay/lifetime.h>
#include <patchbay/store.h>
#include <patchbay/strand.h>

#include <vector>

#include "context.h"

namespace patchbay::identity {

// Reads the key from a PEM file. Blocks.
Result<KeyRing> read_key_file(const std::string& path);

class SigningKeyStore {
 public:
  using Done = Function<void(Status)>;
  struct Info {
    std::string kid;
    std::string state;  // "current", "next", "retired"
    int64_t created_ms = 0;
    int64_t verify_until_ms = 0;  // of a retired one
  };
  explicit SigningKeyStore(Context& context);

  // Fills context.keys from the configured file, or else from the store. Call it once. The error says how to
  // correct it.
  void load(Done done);
  // Reads the keys of the store again. An error leaves the keys as they are.
  void reload(Done done);
  // Notes how long tokens may be valid, after a change of the setting.
  void note_lifetime();

  bool from_file() const { return !context_.settings.key_file.empty(); }
  // The current one, the next one, then the retired ones, the newest first.
  const std::vector<Info>& keys() const { return infos_; }
  // Whether other servers on the database may not know the next key yet, so that it must not sign.
  bool is_next_new() const;
  // A transaction in which the next key becomes current. Conflict: it was rotated meanwhile.
  Result<Transaction> rotate();

 private:
  struct NewKey {
    std::string kid, sealed;
  };
  void load_file(const std::string& file, Done done);
  void load_stored(int attempts, Done done);
  void load_secret(std::vector<SigningKey> keys, int attempts, Done done);
  // Each stores what is missing, and loads again.
  void add_key(int64_t seq, const char* state, int attempts, Done done);
  void add_secret(const SigningKey& current, int attempts, Done done);
  void commit_and_load(Transaction tx, int attempts, Done done);
  Result<NewKey> make_key() const;
  Result<std::vector<SigningKey>> unseal_all(const Rows& rows);
  void note_next();
  void expire_later();

  Context& context_;
  Statement list_, add_, add_next_, retire_, promote_, lifetime_, expire_, secret_, secret_add_;
  bool is_shared_ = false;  // other servers may use the database
  std::vector<Info> infos_;
  std::string next_kid_;
  int64_t next_since_ns_ = 0;  // when this server has first read it; clocks of servers may differ
  Timer expiry_;
  Lifetime alive_;
};

}  // namespace patchbay::identity
