// /api.ashx/v1/outbound-routes: which trunks a dialled number goes through. Main strand.
#pragma once

#include <patchbay/services/http_routes.h>

#include "read_settings.h"
#include "routes/route_table.h"

namespace patchbay::sip_trunk {

class OutboundRoutes {
 public:
  // All outlive this.
  OutboundRoutes(const Settings& settings, RouteTable& table) : settings_(settings), table_(table) {}

  void add_to(http::Routes& routes);

 private:
  using Reply = patchbay::Reply<http::Response>;
  using Handle = void (OutboundRoutes::*)(const http::Request&, Reply);

  void add_list(http::Routes& routes);
  void add_create(http::Routes& routes);
  // Adds both forms of an item endpoint: with {match} in the path, and with ?match=.
  void add_item(http::Routes& routes, const http::Route& route, const char* query_statuses, Handle handle);

  void list(const http::Request& request, Reply reply);
  void get(const http::Request& request, Reply reply);
  void create(const http::Request& request, Reply reply);
  void change(const http::Request& request, Reply reply);
  void remove(const http::Request& request, Reply reply);

  // The trunks of the body. Error: one is not configured.
  Result<std::vector<std::string>> read_trunk_ids(const std::string& tenant, JsonView ids) const;

  const Settings& settings_;
  RouteTable& table_;
};

}  // namespace patchbay::sip_trunk
