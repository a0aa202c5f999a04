#include "login/authorization_request.h"

#include <patchbay/text.h>
#include <patchbay/utf8.h>

#include <algorithm>

#include "grant.h"
#include "identity_limits.h"
#include "pkce.h"

namespace patchbay::identity {
namespace {

struct Refusal {
  const char* error = nullptr;  // nullptr: none
  const char* description = "";
};

bool has_prompt(const std::string& prompt, std::string_view value) {
  const auto all = split(prompt, ' ');
  return std::find(all.begin(), all.end(), value) != all.end();
}

// Seconds; nullopt: not a whole number below a billion.
std::optional<int64_t> read_seconds(const std::string& text) {
  if (!is_digits(text) || text.size() > 9) return std::nullopt;
  return std::stoll(text);
}

// Parameters that this server knows and does not support (OpenID Connect Core 3.1.2.6).
Refusal check_unsupported(const Form& form) {
  if (!form["request"].empty()) return {"request_not_supported", "request is not supported"};
  if (!form["request_uri"].empty()) return {"request_uri_not_supported", "request_uri is not supported"};
  if (!form["registration"].empty()) return {"registration_not_supported", "registration is not supported"};
  return {};
}

Refusal check_values(const Form& form) {
  if (form["response_type"].empty()) return {"invalid_request", "response_type is missing, such as code"};
  if (form["response_type"] != "code") return {"unsupported_response_type", "response_type must be code"};
  if (!form["response_mode"].empty() && form["response_mode"] != "query")
    return {"invalid_request", "response_mode must be query"};
  if (form["code_challenge"].empty())
    return {"invalid_request", "code_challenge is missing: use PKCE with S256 (RFC 7636)"};
  if (form["code_challenge_method"] != "S256")
    return {"invalid_request", "code_challenge_method must be S256"};
  if (!is_code_challenge(form["code_challenge"]))
    return {"invalid_request", "code_challenge must be a SHA-256 in base64url, 43 characters"};
  if (form["nonce"].size() > kMaxNonceBytes) return {"invalid_request", "nonce must have at most 512 bytes"};
  if (!is_utf8(form["nonce"])) return {"invalid_request", "nonce must be UTF-8"};
  if (!form["max_age"].empty() && !read_seconds(form["max_age"]))
    return {"invalid_request", "max_age must be a number of seconds, such as 3600"};
  if (has_prompt(form["prompt"], "none") && split(form["prompt"], ' ').size() > 1)
    return {"invalid_request", "prompt=none must be alone"};
  return {};
}

AuthorizationRequest accepted(const Form& form) {
  AuthorizationRequest request;
  request.client_id = form["client_id"];
  request.redirect_uri = form["redirect_uri"];
  request.state = form["state"];
  request.nonce = form["nonce"];
  request.scope = supported_scopes(form["scope"]);
  request.code_challenge = form["code_challenge"];
  if (form["login_hint"].size() <= kMaxUserNameBytes) request.login_hint = valid_utf8(form["login_hint"]);
  request.id_token_hint = form["id_token_hint"];
  request.asks_nothing = has_prompt(form["prompt"], "none");
  request.asks_again = has_prompt(form["prompt"], "login") || has_prompt(form["prompt"], "select_account");
  request.max_age_sec = read_seconds(form["max_age"]);
  if (request.max_age_sec == 0) request.asks_again = true;
  return request;
}

}  // namespace

Form AuthorizationRequest::fields() const {
  return Form::of({{"response_type", "code"},
                   {"client_id", client_id},
                   {"redirect_uri", redirect_uri},
                   {"state", state},
                   {"nonce", nonce},
                   {"scope", scope},
                   {"code_challenge", code_challenge},
                   {"code_challenge_method", "S256"}});
}

std::variant<AuthorizationRequest, AuthorizationFault> read_authorization_request(const Form& form,
                                                                                  const Tenant& tenant) {
  const std::string& redirect_uri = form["redirect_uri"];
  const Client* client = tenant.client(form["client_id"]);
  AuthorizationFault fault{{}, {}, "invalid_request", {}};
  if (form["client_id"].empty())
    fault.description = "The application did not say which one it is (client_id).";
  else if (client == nullptr)
    fault.description = "This application is not known here (client_id).";
  else if (redirect_uri.empty())
    fault.description = "The application did not say where to return to (redirect_uri).";
  else if (!client->may_redirect_to(redirect_uri))
    fault.description = "The address to return to is not registered for this application (redirect_uri).";
  if (!fault.description.empty()) return fault;

  fault.redirect_uri = redirect_uri;
  const std::string& state = form["state"];
  const bool state_is_valid = state.size() <= kMaxStateBytes && is_utf8(state);
  if (state_is_valid) fault.state = state;
  Refusal refusal = check_unsupported(form);
  if (refusal.error == nullptr && !state_is_valid)
    refusal = {"invalid_request", "state must be UTF-8 of at most 2048 bytes"};
  if (refusal.error == nullptr) refusal = check_values(form);
  if (refusal.error == nullptr) return accepted(form);
  fault.error = refusal.error;
  fault.description = refusal.description;
  return fault;
}

}  // namespace patchbay::identity
