// /api.ashx/v1/admin/keys: creates, lists and revokes API keys. Main strand.
#pragma once

#include <patchbay/lifetime.h>
#include <patchbay/services/http_routes.h>

#include "api_key_store.h"
#include "context.h"

namespace patchbay::identity {

class ApiKeyRoutes {
 public:
  ApiKeyRoutes(Context& context, ApiKeyStore& keys) : context_(context), keys_(keys) {}

  void add_to(http::Routes& routes);

 private:
  using Reply = patchbay::Reply<http::Response>;
  void create(const http::Request& request, Reply reply);
  void list(const http::Request& request, Reply reply);
  void remove(const http::Request& request, Reply reply);
  std::string tenant_of(const http::Request& request) const;
  std::string creator(const http::Request& request, const std::string& tenant) const;

  Context& context_;
  ApiKeyStore& keys_;
  Lifetime alive_;
};

}  // namespace patchbay::identity
