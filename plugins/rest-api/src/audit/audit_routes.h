// GET /api.ashx/v1/admin/audit: the records of changes. On the main strand.
#pragma once

#include <patchbay/services/http_routes.h>
#include <patchbay/store.h>

namespace patchbay::rest_api {

class AuditRoutes {
 public:
  explicit AuditRoutes(const Host& host);
  // Registers the route; patchbay.http must have been published.
  void open() { routes_.open(); }

 private:
  using Reply = patchbay::Reply<http::Response>;
  void list(const http::Request& request, Reply reply);
  void page(Values values, const http::Request& request, int64_t total, Reply reply);

  const Host& host_;
  const Statement count_, list_;
  http::Routes routes_;
};

}  // namespace patchbay::rest_api
