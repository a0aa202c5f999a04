// /api.ashx/v1/inbound-routes: which user a called number rings. Main strand.
#pragma once

#include <patchbay/services/http_routes.h>

#include <string>

#include "read_settings.h"
#include "routes/route_table.h"

namespace patchbay::sip_trunk {

class InboundRoutes {
 public:
  // All outlive this.
  InboundRoutes(const Settings& settings, RouteTable& table) : settings_(settings), table_(table) {}

  void add_to(http::Routes& routes);

 private:
  using Reply = patchbay::Reply<http::Response>;
  using Handle = void (InboundRoutes::*)(const http::Request&, Reply);

  void add_list(http::Routes& routes);
  void add_create(http::Routes& routes);
  // Adds both forms of an item endpoint: with {did} in the path, and with ?did=. `more_query` is further
  // members of the query's schema, `documents` those of the path form, `query_documents` of the other.
  void add_item(http::Routes& routes, http::Route route, const std::string& more_query,
                const char* query_documents, Handle handle);

  void list(const http::Request& request, Reply reply);
  void get(const http::Request& request, Reply reply);
  void create(const http::Request& request, Reply reply);
  void change(const http::Request& request, Reply reply);
  void remove(const http::Request& request, Reply reply);

  const Settings& settings_;
  RouteTable& table_;
};

}  // namespace patchbay::sip_trunk
