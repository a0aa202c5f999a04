// /api.ashx/v1/admin/signing-keys: lists the keys that sign and verify tokens, and rotates them. Main strand.
#pragma once

#include <patchbay/lifetime.h>
#include <patchbay/services/audit.h>
#include <patchbay/services/http_routes.h>

#include "context.h"
#include "signing_key_store.h"

namespace patchbay::identity {

class SigningKeyRoutes {
 public:
  SigningKeyRoutes(Context& context, SigningKeyStore& keys)
      : context_(context), keys_(keys), trail_(context.host) {}

  void add_to(http::Routes& routes);

 private:
  using Reply = patchbay::Reply<http::Response>;
  void list(const http::Request& request, Reply reply);
  void rotate(const http::Request& request, Reply reply);

  Context& context_;
  SigningKeyStore& keys_;
  audit::Trail trail_;
  Lifetime alive_;
};

}  // namespace patchbay::identity
