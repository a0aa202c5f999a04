// Where the signing keys come from: the operator's file, or the store, which gets one at the first start.
// Main strand.
#pragma once

#include <patchbay/lifetime.h>
#include <patchbay/store.h>

#include "signing_key.h"

namespace patchbay::identity {

// The key in the operator's file, a PEM. Blocks while it reads.
Result<KeyRing> read_key_file(const std::string& path);

class KeyStore {
 public:
  using Done = Function<void(Result<KeyRing>)>;
  explicit KeyStore(const Host& host);

  // Once. `file`: path of a PEM, or "" for the store. The error names the cure.
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
