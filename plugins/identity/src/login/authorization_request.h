// Authorization requests: response_type=code with PKCE (RFC 6749 4.1.1, RFC 7636, OpenID Connect Core
// 3.1.2.1). Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "form.h"
#include "read_settings.h"

namespace patchbay::identity {

struct AuthorizationRequest {
  std::string client_id;
  std::string redirect_uri;
  std::string state;
  std::string nonce;
  std::string scope;  // the supported ones
  std::string code_challenge;
  std::string login_hint;
  std::string id_token_hint;
  bool asks_nothing = false;  // prompt=none: an error instead of a page
  bool asks_again = false;    // prompt=login or select_account: the password although there is a session
  std::optional<int64_t> max_age_sec;

  // What a ticket keeps: read_authorization_request() reads it again.
  Form fields() const;
};

// A request that is not answered by a code. Without `redirect_uri` the error must be shown, because the
// client or its redirect URI cannot be trusted; else it is sent there.
struct AuthorizationFault {
  std::string redirect_uri;
  std::string state;
  std::string error;  // RFC 6749 4.1.2.1
  std::string description;
};

std::variant<AuthorizationRequest, AuthorizationFault> read_authorization_request(const Form& form,
                                                                                  const Tenant& tenant);

}  // namespace patchbay::identity
