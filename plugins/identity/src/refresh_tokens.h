// Refresh tokens (RFC 6749 6, RFC 9700 4.14): each is used once and replaced by another of its family. A
// second use revokes the family, because one of the two users of the token is an attacker. A family expires
// signInLifetimeSec after the sign-in at the latest. Stored as SHA-256. Main strand.
#pragma once

#include <patchbay/lifetime.h>
#include <patchbay/store.h>

#include "context.h"
#include "grant.h"
#include "revocation.h"

namespace patchbay::identity {

struct Rotated {
  Grant grant;
  std::string token;  // the next one
};

class RefreshTokens {
 public:
  RefreshTokens(Context& context, Revocation& revocation);

  // Adds the first token of the grant's family to the transaction, and returns it.
  Result<std::string> add_first(Transaction& tx, const Grant& grant) const;
  // As above, in a transaction of its own.
  void issue(const Grant& grant, Function<void(Result<std::string>)> done);
  // Code::denied: the token is unknown, expired, used before or of another tenant or client, or the user was
  // removed, disabled, or has changed the password.
  void rotate(const std::string& token, const std::string& tenant, const std::string& client_id,
              Function<void(Result<Rotated>)> done);
  // The grant of a token that may be expired or used; Code::denied: there is no such token.
  void find(const std::string& token, const std::string& tenant, Function<void(Result<Grant>)> done);

 private:
  struct Stored;
  using Done = Function<void(Result<Rotated>)>;
  void replace(const std::string& hash, const Stored& stored, Done done);
  // Refuses once the tokens of the family have ended.
  void revoke_family(const Grant& grant, const char* why, Done done);
  void add_to(Transaction& tx, const std::string& token, const Grant& grant) const;

  Context& context_;
  Revocation& revocation_;
  Statement get_, add_, use_;
  Lifetime alive_;
};

}  // namespace patchbay::identity
