// Refresh tokens (RFC 6749 6, RFC 9700 4.14): each is used once and followed by another of its family. Using
// one a second time ends the family, since one of its two holders is not the user. A family ends at the
// latest signInLifetimeSec after the sign-in. The store keeps only SHA-256 of them. Main strand.
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
  std::string token;  // the one that follows
};

class RefreshTokens {
 public:
  explicit RefreshTokens(Context& context);

  // The first of a new family.
  void issue(const Grant& grant, Function<void(Result<std::string>)> done);
  // Code::denied: unknown, expired, used before, of another tenant or client, or the user is gone, disabled
  // or has another password by now.
  void rotate(const std::string& token, const std::string& tenant, const std::string& client_id,
              Function<void(Result<Rotated>)> done);

 private:
  struct Stored;
  using Done = Function<void(Result<Rotated>)>;
  void replace(const std::string& hash, const Stored& stored, Done done);
  void revoke_family(const std::string& family, const Grant& grant, const char* why);
  void add_to(Transaction& tx, const std::string& token, const std::string& family, const Grant& grant,
              int64_t born_ms) const;
  std::string proof(const Grant& grant) const;
  void expire_later();

  Context& context_;
  Statement get_, add_, use_, revoke_family_, expire_;
  Timer hourly_;
  Lifetime alive_;
};

}  // namespace patchbay::identity
