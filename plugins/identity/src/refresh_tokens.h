// Refresh tokens (RFC 6749 6, RFC 9700 4.14): each is used once and replaced by another of its family. A
// second use revokes the family, because one of the two users of the token is an attacker. A family expires
// signInLifetimeSec after the sign-in at the latest. Stored as SHA-256. Main strand.
#pragma once

#include <patchbay/lifetime.h>
#include <patchbay/store.h>
#include <patchbay/strand.h>

#include "context.h"

namespace patchbay::identity {

struct Grant {
  std::string tenant;
  std::string username;
  std::string client_id;
  std::string scope;
};

struct Rotated {
  Grant grant;
  std::string token;  // the next one
};

class RefreshTokens {
 public:
  explicit RefreshTokens(Context& context);

  // Issues the first token of a new family.
  void issue(const Grant& grant, Function<void(Result<std::string>)> done);
  // Code::denied: the token is unknown, expired, used before or of another tenant or client, or the user was
  // removed, disabled, or has changed the password.
  void rotate(const std::string& token, const std::string& tenant, const std::string& client_id,
              Function<void(Result<Rotated>)> done);

 private:
  struct Stored;
  using Done = Function<void(Result<Rotated>)>;
  void replace(const std::string& hash, const Stored& stored, Done done);
  void revoke_family(const std::string& family, const Grant& grant, const char* why);
  void add_to(Transaction& tx, const std::string& token, const std::string& family, const Grant& grant,
              int64_t signed_in_ms) const;
  std::string credential_hash(const Grant& grant) const;
  void sweep_later();

  Context& context_;
  Statement get_, add_, use_, revoke_family_, expire_;
  Timer sweep_timer_;
  Lifetime alive_;
};

}  // namespace patchbay::identity
