// Who asks, whether he may, and whose data it is about. On the main strand.
//
// 401 comes before 403; a bearer nobody can judge yet is 503, and one of too many unknown ones 429
// (auth_throttle.h). The admin socket asks nobody: who may open it is the operator.
#pragma once

#include <patchbay/services/auth.h>
#include <patchbay/services/http.h>

#include <memory>
#include <optional>
#include <string>

#include "auth_throttle.h"
#include "config.h"
#include "http/exchange.h"

namespace patchbay::rest_api {

struct Caller {
  std::string tenant;
  std::string subject;
  std::string username;
  std::string role;
  bool is_super = false;
  bool is_key = false;
};

class Gatekeeper {
 public:
  // Either the refusal is set or the caller is.
  struct Verdict {
    std::optional<Refusal> refusal;
    Caller caller;
  };
  using Then = Function<void(Verdict)>;

  // `tenants` is borrowed and may change between two calls.
  Gatekeeper(const Host& host, const Tenants& tenants)
      : host_(&host), tenants_(&tenants), throttle_(host), auth_(host) {}

  // Whether there is a bearer to check: one header, of the right form.
  static bool has_bearer(const Request& request);

  // `then` comes once, perhaps at once; not after this is destroyed. `request` and `route` must live until
  // then: they belong in what `then` owns.
  void admit(const Request& request, const http::Route& route, Then then);

 private:
  void verify(const std::string& bearer, const Request& request, const http::Route& route,
              const std::shared_ptr<Then>& then);
  Verdict operator_of(const Request& request) const;
  Verdict judge(const Request& request, const http::Route& route, const Result<auth::Principal>& who) const;
  std::optional<Refusal> choose_tenant(const Request& request, Caller& caller) const;

  const Host* host_;
  const Tenants* tenants_;
  AuthThrottle throttle_;
  Service<auth::Auth> auth_;
};

}  // namespace patchbay::rest_api
