#include "route_registry.h"

#include <patchbay/services/http_rules.h>
#include <patchbay/strand.h>

#include <algorithm>
#include <tuple>

#include "http/router.h"
#include "limits.h"

namespace patchbay::rest_api {
namespace {

// The admin socket serves the routes of all listeners.
Result<uint32_t> roles_of(std::string_view name) {
  if (name == "public") return uint32_t{kPublic | kLocal};
  if (name == "management") return uint32_t{kManagement | kLocal};
  if (name == "local") return uint32_t{kLocal};
  return {Code::invalid, "a route's listener is public, management or local"};
}

static_assert(ServerLimits().max_route_body == http::kMaxBodyBytes);

Result<Route> server_route(uint32_t id, const http::Route& route) {
  Route made;
  made.id = id;
  made.method = method_from(route.method);
  made.path = route.path;
  made.message_errors = route.message_errors;
  made.needs_bearer = route.role != "none";
  made.upgrade = route.kind == "websocket";
  made.streams = route.kind == "events";
  made.max_body = static_cast<size_t>(route.max_body_bytes);
  if (const auto equals = route.discriminator.find('='); equals != std::string::npos)
    made.discriminator =
        Discriminator{route.discriminator.substr(0, equals), route.discriminator.substr(equals + 1)};
  PB_TRY_VALUE(made.listener_roles, roles_of(route.listener));
  return made;
}

}  // namespace

RouteRegistry::RouteRegistry(const Host& host, std::function<void(const RouteTable&)> publish)
    : host_(&host), publish_(std::move(publish)) {}

Result<http::Registered> RouteRegistry::add(http::Route route) {
  remove_stale();  // a restarted plugin registers its routes again
  const std::string name = (route.method + " " + route.path).substr(0, kMaxRefusedRouteName);
  const Handle handler = route.handler;
  auto done = add_entry(std::move(route));
  refused_.erase(
      std::remove_if(refused_.begin(), refused_.end(), [&](const Refused& one) { return one.route == name; }),
      refused_.end());
  if (!done && refused_.size() < kMaxRefusedRoutes) refused_.push_back({name, done.error().text, handler});
  return done;
}

const std::vector<RouteRegistry::Refused>& RouteRegistry::refused() {
  remove_stale();
  return refused_;
}

Result<http::Registered> RouteRegistry::add_entry(http::Route route) {
  auto entry = std::make_shared<RouteEntry>();
  entry->handler = Lease<http::Handler>::open(*host_, route.handler);
  if (!entry->handler) return {Code::invalid, "the route has no handler"};
  entry->route = std::move(route);
  PB_TRY_VALUE(const uint32_t id, insert(std::move(entry)));
  return http::Registered{id};
}

Status RouteRegistry::add_builtin(http::Route route, BuiltinHandler handler) {
  auto entry = std::make_shared<RouteEntry>();
  entry->route = std::move(route);
  entry->builtin = std::move(handler);
  const auto id = insert(std::move(entry));
  return id ? Status() : Status(id.error());
}

Result<uint32_t> RouteRegistry::insert(std::shared_ptr<RouteEntry> entry) {
  const http::Route& route = entry->route;
  PB_TRY(http::check_route(*host_, route));
  PB_TRY_VALUE(const Route candidate, server_route(last_id_ + 1, route));
  PB_TRY_VALUE(entry->key, check(candidate));
  entry->listener_roles = candidate.listener_roles;
  PB_TRY_VALUE(entry->query, QueryReader::compile(*host_, route.query_schema));
  entry->id = ++last_id_;
  entries_.emplace(last_id_, std::move(entry));
  on_change();
  return last_id_;
}

// Returns the route's key if the HTTP server would accept the table with this route. Makes no router of the
// whole table, because plugins add a hundred routes at the start.
Result<std::string> RouteRegistry::check(const Route& candidate) const {
  PB_TRY_VALUE(std::string key, route_key(candidate));
  for (const auto& [id, entry] : entries_)
    if ((entry->listener_roles & candidate.listener_roles) != 0 && entry->key == key)
      return routed_twice(candidate);
  Route alone = candidate;
  alone.listener_roles = kLocal;
  if (auto router = Router::create({alone}, kLocal); !router) return router.error();
  return key;
}

std::shared_ptr<const RouteEntry> RouteRegistry::find(uint32_t id) const {
  const auto found = entries_.find(id);
  return found == entries_.end() ? nullptr : found->second;
}

void RouteRegistry::remove_stale() {
  refused_.erase(
      std::remove_if(refused_.begin(), refused_.end(),
                     [&](const Refused& one) { return !Lease<http::Handler>::open(*host_, one.handler); }),
      refused_.end());
  const size_t before = entries_.size();
  for (auto at = entries_.begin(); at != entries_.end();) {
    const RouteEntry& entry = *at->second;
    const bool stale = !entry.builtin && !Lease<http::Handler>::open(*host_, entry.route.handler);
    at = stale ? entries_.erase(at) : std::next(at);
  }
  if (entries_.size() != before) on_change();
}

RouteTable RouteRegistry::table() const {
  RouteTable routes;
  for (const auto& [id, entry] : entries_)
    if (auto route = server_route(id, entry->route)) routes.push_back(*std::move(route));
  return routes;
}

std::vector<const http::Route*> RouteRegistry::catalogue(std::string_view listener) const {
  std::vector<const http::Route*> all;
  for (const auto& [id, entry] : entries_)
    if (entry->route.catalogue && entry->route.listener == listener) all.push_back(&entry->route);
  std::sort(all.begin(), all.end(), [](const http::Route* a, const http::Route* b) {
    return std::tie(a->path, a->method, a->discriminator) < std::tie(b->path, b->method, b->discriminator);
  });
  return all;
}

void RouteRegistry::on_change() {
  ++generation_;
  if (std::exchange(publishing_, true)) return;
  post(*host_, kMainStrand, alive_.bind([this] {
    publishing_ = false;
    publish_(table());
  }));
}

}  // namespace patchbay::rest_api
