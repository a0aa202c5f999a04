// Who asks, whether he may, and whose data it is about. On the main strand.
//
// 401 comes before 403; a bearer nobody can judge yet is 503. The admin socket asks nobody: who may open it
// is the operator.
#pragma once

#include <patchbay/services/auth.h>
#include <patchbay/services/http.h>

#include <optional>
#include <string>

#include "config.h"
#include "exchange.h"

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
  Gatekeeper(const Host& host, const Tenants& tenants) : host_(&host), tenants_(&tenants), auth_(host) {}

  // `then` comes once, perhaps at once; not after this is destroyed. `request` and `route` must live until
  // then: they belong in what `then` owns.
  void admit(const Request& request, const http::Route& route, Then then);

 private:
  Verdict operator_of(const Request& request) const;
  Verdict judge(const Request& request, const http::Route& route, const Result<auth::Principal>& who) const;
  std::optional<Refusal> choose_tenant(const Request& request, Caller& caller) const;

  const Host* host_;
  const Tenants* tenants_;
  Service<auth::Auth> auth_;
};

}  // namespace patchbay::rest_api
