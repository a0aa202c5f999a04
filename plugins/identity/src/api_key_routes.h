// /api.ashx/v1/admin/keys: making, listing and revoking API keys. Main strand.
#pragma once

#include <patchbay/lifetime.h>
#include <patchbay/services/http_routes.h>

#include "api_key_store.h"
#include "context.h"

namespace patchbay::identity {

class KeyRoutes {
 public:
  KeyRoutes(Context& context, ApiKeys& keys) : context_(context), keys_(keys) {}

  void add_to(http::Routes& routes);

 private:
  using Reply = patchbay::Reply<http::Response>;
  void create(const http::Request& request, Reply reply);
  void list(const http::Request& request, Reply reply);
  void remove(const http::Request& request, Reply reply);
  std::string tenant_of(const http::Request& request) const;
  std::string creator(const http::Request& request, const std::string& tenant) const;

  Context& context_;
  ApiKeys& keys_;
  Lifetime alive_;
};

}  // namespace patchbay::identity
