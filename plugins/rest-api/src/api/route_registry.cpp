#include "route_registry.h"

#include <patchbay/services/http_rules.h>
#include <patchbay/strand.h>

#include <algorithm>
#include <tuple>

#include "http/router.h"

namespace patchbay::rest_api {
namespace {

constexpr size_t kMostRefused = 100;
constexpr size_t kLongestName = 200;

// The admin socket also serves what the others do.
Result<uint32_t> surfaces_of(std::string_view name) {
  if (name == "public") return uint32_t{kPublic | kLocal};
  if (name == "management") return uint32_t{kManagement | kLocal};
  if (name == "local") return uint32_t{kLocal};
  return {Code::invalid, "a route's surface is public, management or local"};
}

Result<Route> edge_route(uint32_t id, const http::Route& route) {
  Route made;
  made.id = id;
  made.method = method_from(route.method);
  made.path = route.path;
  made.message_errors = route.message_errors;
  made.needs_bearer = route.role != "none";
  made.max_body = static_cast<size_t>(route.max_body_bytes);
  if (const auto equals = route.discriminator.find('='); equals != std::string::npos)
    made.discriminator =
        Discriminator{route.discriminator.substr(0, equals), route.discriminator.substr(equals + 1)};
  PB_TRY_VALUE(made.surfaces, surfaces_of(route.surface));
  return made;
}

}  // namespace

RouteRegistry::RouteRegistry(const Host& host, std::function<void(const RouteTable&)> publish)
    : host_(&host), publish_(std::move(publish)) {}

Result<http::Registered> RouteRegistry::add(http::Route route) {
  sweep();  // a plugin that was restarted registers what it had before
  const std::string name = (route.method + " " + route.path).substr(0, kLongestName);
  const Handle handler = route.handler;
  auto done = take(std::move(route));
  refused_.erase(
      std::remove_if(refused_.begin(), refused_.end(), [&](const Refused& one) { return one.route == name; }),
      refused_.end());
  if (!done && refused_.size() < kMostRefused) refused_.push_back({name, done.error().text, handler});
  return done;
}

const std::vector<RouteRegistry::Refused>& RouteRegistry::refused() {
  sweep();
  return refused_;
}

Result<http::Registered> RouteRegistry::take(http::Route route) {
  auto target = std::make_shared<Target>();
  target->handler = Lease<http::Handler>::open(*host_, route.handler);
  if (!target->handler) return {Code::invalid, "the route has no handler"};
  target->route = std::move(route);
  PB_TRY_VALUE(const uint32_t id, insert(std::move(target)));
  return http::Registered{id};
}

Status RouteRegistry::add_own(http::Route route, OwnHandler handler) {
  auto target = std::make_shared<Target>();
  target->route = std::move(route);
  target->own = std::move(handler);
  const auto id = insert(std::move(target));
  return id ? Status() : Status(id.error());
}

Result<uint32_t> RouteRegistry::insert(std::shared_ptr<Target> target) {
  const http::Route& route = target->route;
  PB_TRY(http::check_route(*host_, route));
  PB_TRY_VALUE(const Route candidate, edge_route(last_id_ + 1, route));
  PB_TRY(check(candidate));
  PB_TRY_VALUE(target->query, QueryReader::compile(*host_, route.query_schema));
  target->id = ++last_id_;
  targets_.emplace(last_id_, std::move(target));
  changed();
  return last_id_;
}

// Whether the edge would take the table with this route in it.
Status RouteRegistry::check(const Route& candidate) const {
  RouteTable routes = table();
  routes.push_back(candidate);
  for (const Surface surface : {kPublic, kManagement, kLocal}) {
    if ((candidate.surfaces & surface) == 0) continue;
    auto router = Router::create(routes, surface);
    if (!router) return router.error();
  }
  return {};
}

std::shared_ptr<const Target> RouteRegistry::find(uint32_t id) const {
  const auto found = targets_.find(id);
  return found == targets_.end() ? nullptr : found->second;
}

void RouteRegistry::sweep() {
  refused_.erase(
      std::remove_if(refused_.begin(), refused_.end(),
                     [&](const Refused& one) { return !Lease<http::Handler>::open(*host_, one.handler); }),
      refused_.end());
  const size_t before = targets_.size();
  for (auto at = targets_.begin(); at != targets_.end();) {
    const Target& target = *at->second;
    const bool gone = !target.own && !Lease<http::Handler>::open(*host_, target.route.handler);
    at = gone ? targets_.erase(at) : std::next(at);
  }
  if (targets_.size() != before) changed();
}

RouteTable RouteRegistry::table() const {
  RouteTable routes;
  for (const auto& [id, target] : targets_)
    if (auto route = edge_route(id, target->route)) routes.push_back(*std::move(route));
  return routes;
}

std::vector<const http::Route*> RouteRegistry::catalogue(std::string_view surface) const {
  std::vector<const http::Route*> all;
  for (const auto& [id, target] : targets_)
    if (target->route.catalogue && target->route.surface == surface) all.push_back(&target->route);
  std::sort(all.begin(), all.end(), [](const http::Route* a, const http::Route* b) {
    return std::tie(a->path, a->method, a->discriminator) < std::tie(b->path, b->method, b->discriminator);
  });
  return all;
}

void RouteRegistry::changed() {
  ++generation_;
  if (std::exchange(publishing_, true)) return;
  post(*host_, kMainStrand, alive_.bind([this] {
    publishing_ = false;
    publish_(table());
  }));
}

}  // namespace patchbay::rest_api
