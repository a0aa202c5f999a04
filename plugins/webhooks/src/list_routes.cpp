#include "list_routes.h"

#include "route_schemas.h"
#include "subscription_json.h"

namespace patchbay::webhooks {
namespace {

Result<http::Response> list(Registry& registry, const EventCatalogue& catalogue,
                            const http::Request& request) {
  const auto all = registry.of_tenant(request.tenant);
  JsonWriter body;
  body.object().key("data").array();
  const auto begin = static_cast<size_t>(request.offset);
  for (size_t i = begin; i < all.size() && i - begin < static_cast<size_t>(request.limit); ++i)
    write_subscription(body, *all[i], catalogue);
  body.end().end();
  http::Response response = http::ok(std::move(body).str());
  response.total = static_cast<int64_t>(all.size());
  return response;
}

}  // namespace

void add_list_routes(http::Routes& routes, Registry& registry, const EventCatalogue& catalogue) {
  http::Route route;
  route.method = "GET";
  route.path = "/api.ashx/v1/webhooks";
  route.area = "webhooks";
  route.summary = "Lists the tenant's webhook subscriptions; secrets are left out";
  route.list = true;
  route.reply_schema = subscription_schema();
  routes.add(std::move(route), [&registry, &catalogue](const http::Request& request) {
    return list(registry, catalogue, request);
  });
}

}  // namespace patchbay::webhooks
