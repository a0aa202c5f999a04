// SigningKeyStore: loads the signing keys from the configured file or from the store, and creates one at the
// first start. Main strand.
#pragma once

#include <patchbay/lifetime.h>
#include <patchbay/store.h>

#include "signing_key.h"

namespace patchbay::identity {

// Reads the key from a PEM file. Blocks.
Result<KeyRing> read_key_file(const std::string& path);

class SigningKeyStore {
 public:
  using Done = Function<void(Result<KeyRing>)>;
  explicit SigningKeyStore(const Host& host);

  // Call it once. `file`: path of a PEM; "": the store. The error says how to correct it.
  void load(const std::string& file, Done done);

 private:
  void load_file(const std::string& file);
  void load_stored(bool may_create);
  void create();
  Result<KeyRing> unseal_all(const Rows& rows) const;

  const Host* host_;
  Statement list_, add_first_;
  Done done_;
  Lifetime alive_;
};

}  // namespace patchbay::identity
