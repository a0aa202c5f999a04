// Authorization codes (RFC 6749 4.1): valid for a minute, used once, bound to client, redirect URI and PKCE
// challenge. A second use revokes the tokens of the first (4.1.2). Stored as SHA-256. Main strand.
#pragma once

#include <patchbay/lifetime.h>
#include <patchbay/store.h>

#include <string>

#include "context.h"
#include "grant.h"
#include "refresh_tokens.h"
#include "revocation.h"

namespace patchbay::identity {

// What a code is bound to beside its grant.
struct CodeBinding {
  std::string redirect_uri;
  std::string challenge;
  std::string nonce;
};

class CodeStore {
 public:
  struct Exchange {
    std::string code, tenant, client_id, redirect_uri, verifier;
  };
  struct Redeemed {
    Grant grant;
    std::string nonce;
    std::string refresh_token;  // "": without offline_access
  };
  using Done = Function<void(Result<Redeemed>)>;
  CodeStore(Context& context, RefreshTokens& refresh, Revocation& revocation);

  // Adds a code of the grant, whose family it makes, to the transaction, and returns it.
  Result<std::string> add(Transaction& tx, Grant grant, const CodeBinding& binding) const;
  // Code::denied: the code is unknown, expired, used before, of another tenant or client, or bound to another
  // redirect URI or challenge, or the user has changed.
  void redeem(const Exchange& exchange, Done done);

 private:
  struct Stored;
  Status check(const Stored& stored, const Exchange& exchange) const;
  void use(const Stored& stored, const Exchange& exchange, Done done);
  // Answers a second use once the tokens of the first have ended.
  void revoke(const Grant& grant, Done done);

  Context& context_;
  RefreshTokens& refresh_;
  Revocation& revocation_;
  Statement get_, add_, use_, trim_;
  Lifetime alive_;
};

}  // namespace patchbay::identity
