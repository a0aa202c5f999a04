// Authorizer: authenticates the client of a request, checks its role and chooses the tenant. On the main
// strand.
//
// 401 precedes 403. 503: no plugin can check the bearer yet; 429: too many unknown bearers (auth_throttle.h).
// Requests over the admin socket are the operator's, because its mode admits no other user.
#pragma once

#include <patchbay/services/auth.h>
#include <patchbay/services/http.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "auth_throttle.h"
#include "http/exchange.h"
#include "read_settings.h"

namespace patchbay::rest_api {

struct Caller {
  std::string tenant;
  std::string subject;
  std::string username;
  std::string role;
  bool is_super = false;
  bool is_key = false;
};

class Authorizer {
 public:
  // Either `refusal` is set or `caller`.
  struct Decision {
    std::optional<Refusal> refusal;
    Caller caller;
  };
  using Done = Function<void(Decision)>;

  // Borrows `tenants`, which may change between two calls.
  Authorizer(const Host& host, const Tenants& tenants)
      : host_(&host), tenants_(&tenants), throttle_(host), auth_(host) {}

  // Whether the request has one well-formed Authorization header with a bearer, or a WebSocket's request one
  // subprotocol "bearer.<token>".
  static bool has_bearer(const Request& request, const http::Route& route);

  // Calls `done` once, perhaps before it returns; not after this is destroyed. Let `done` own `request` and
  // `route`, which must live until then.
  void authorize(const Request& request, const http::Route& route, Done done);

 private:
  struct Bearer {
    std::string_view text;    // a secret; of the request
    const std::string& name;  // for throttle_
  };
  void verify(const Bearer& bearer, const Request& request, const http::Route& route,
              const std::shared_ptr<Done>& done);
  Decision decide_operator(const Request& request) const;
  Decision decide(const Request& request, const http::Route& route,
                  const Result<auth::Principal>& principal) const;
  std::optional<Refusal> choose_tenant(const Request& request, Caller& caller) const;

  const Host* host_;
  const Tenants* tenants_;
  AuthThrottle throttle_;
  Service<auth::Auth> auth_;
};

}  // namespace patchbay::rest_api
