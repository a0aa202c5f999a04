// Revocation: ends the tokens of a grant or of a session, in one transaction, and for this process before
// done() is called. Main strand.
#pragma once

#include <patchbay/lifetime.h>
#include <patchbay/store.h>

#include <string>
#include <vector>

#include "context.h"

namespace patchbay::identity {

class Revocation {
 public:
  using Done = Function<void(Status)>;
  explicit Revocation(Context& context);

  // One access token, by its claim "jti".
  void token(const std::string& tenant, const std::string& id, int64_t expires_ms, Done done);
  // The refresh tokens and the access tokens of a grant.
  void family(const std::string& tenant, const std::string& family, Done done);
  // The sessions, with the tokens of all their grants.
  void sessions(const std::string& tenant, const std::vector<std::string>& sids, Done done);

 private:
  void commit(Transaction tx, Done done);
  int64_t last_expiry_ms() const;

  Context& context_;
  Statement refresh_family_, refresh_session_, session_;
  Lifetime alive_;
};

}  // namespace patchbay::identity
