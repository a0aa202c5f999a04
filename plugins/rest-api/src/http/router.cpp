#include "router.h"

#include <patchbay/services/http_rules.h>
#include <pistache/http.h>
#include <pistache/router.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "error_format.h"
#include "limits.h"

namespace patchbay::rest_api {
namespace {

namespace Http = Pistache::Http;
namespace Rest = Pistache::Rest;

constexpr std::array kRouted = {Method::get,   Method::head, Method::post,   Method::put,
                                Method::patch, Method::del,  Method::options};

struct NullHandler : Http::Handler {
  HTTP_PROTOTYPE(NullHandler)
  void onRequest(const Http::Request&, Http::ResponseWriter) override {}
};

Http::Method to_pistache(Method method) {
  switch (method) {
    case Method::head:
      return Http::Method::Head;
    case Method::post:
      return Http::Method::Post;
    case Method::put:
      return Http::Method::Put;
    case Method::patch:
      return Http::Method::Patch;
    case Method::del:
      return Http::Method::Delete;
    case Method::options:
      return Http::Method::Options;
    default:
      return Http::Method::Get;
  }
}

// Parameters are named by position for Pistache, so that two routes may name the same segment differently.
struct Pattern {
  std::string tree;                // "/v1/calls/:p0"
  std::vector<std::string> names;  // {"id"}
};

Result<Pattern> parse_pattern(const std::string& path) {
  PB_TRY_VALUE(auto parsed, http::parse_path(path));
  Pattern pattern;
  size_t position = 0;
  for (const auto& segment : parsed.segments)
    pattern.tree += segment == "{}" ? "/:p" + std::to_string(position++) : "/" + segment;
  if (pattern.tree.empty()) pattern.tree = "/";
  pattern.names = std::move(parsed.names);
  return pattern;
}

// A route of one method and path; several differ in their discriminators.
struct Candidate {
  Route route;
  std::vector<std::string> names;
};
using Candidates = std::vector<Candidate>;

// Distinguishes the routes of one method and path.
std::string choice_of(const Route& route) {
  const auto& wanted = route.discriminator;
  return (route.upgrade ? "upgrade?" : "?") + (wanted ? wanted->key + "=" + wanted->value : std::string());
}

bool discriminator_holds(const Discriminator& wanted, const StringPairs* query) {
  if (query == nullptr) return false;
  return std::any_of(query->begin(), query->end(), [&](const auto& pair) {
    return is_name(wanted.key, pair.first) && (wanted.value.empty() || pair.second == wanted.value);
  });
}

// The most specific candidate: upgrades first, then discriminators, then the rest.
const Candidate* choose(const Candidates& candidates, const RouteQuery& query) {
  const Candidate* best = nullptr;
  int best_rank = -1;
  for (const auto& candidate : candidates) {
    const auto& route = candidate.route;
    if (route.upgrade && !query.upgrade) continue;
    if (route.discriminator && !discriminator_holds(*route.discriminator, query.query)) continue;
    const int rank =
        (route.upgrade ? 4 : 0) + (route.discriminator ? (route.discriminator->value.empty() ? 1 : 2) : 0);
    if (rank > best_rank) {
      best = &candidate;
      best_rank = rank;
    }
  }
  return best;
}

bool has_empty_or_dot_segment(std::string_view path) {
  return path.find("//") != std::string_view::npos || path.find("/./") != std::string_view::npos ||
         path.find("/../") != std::string_view::npos || path.size() < 1 ||
         (path.size() >= 2 && path.substr(path.size() - 2) == "/.") ||
         (path.size() >= 3 && path.substr(path.size() - 3) == "/..");
}

}  // namespace

std::string_view method_name(Method method) noexcept {
  static constexpr std::array<std::string_view, 8> kNames = {"GET",   "HEAD",   "POST",    "PUT",
                                                             "PATCH", "DELETE", "OPTIONS", "OTHER"};
  return kNames[static_cast<size_t>(method)];
}

Method method_from(std::string_view name) noexcept {
  for (const auto method : kRouted)
    if (method_name(method) == name) return method;
  return Method::other;
}

Result<std::string> route_key(const Route& route) {
  if (route.method == Method::other) return {Code::invalid, "route " + route.path + ": no such method"};
  PB_TRY_VALUE(const Pattern pattern, parse_pattern(route.path));
  return std::string(method_name(route.method)) + " " + pattern.tree + " " + choice_of(route);
}

Error routed_twice(const Route& route) {
  return {Code::conflict, std::string(method_name(route.method)) + " " + route.path + " is routed twice"};
}

Response unrouted_response(Method method, const RouteMatch& match) {
  if (match.allow.empty())
    return error_response(
        404, "not_found",
        match.choices.empty() ? "there is nothing at this path" : "this path needs one of " + match.choices);
  if (method == Method::options) return Response{204, {{"Allow", match.allow}}, {}};
  const auto text = "this path allows " + match.allow;
  Response response = match.neighbour != nullptr && match.neighbour->message_errors
                          ? message_response(405, text)
                          : error_response(405, "method_not_allowed", text);
  response.headers.emplace_back("Allow", match.allow);
  return response;
}

struct Router::Impl {
  Rest::Router tree;
  Http::RequestParser parser{kMaxRoutedLine};
  NullHandler null_handler;
  std::map<std::pair<Method, std::string>, Candidates> candidates;
  // Those of paths without parameters, which need no tree: Pistache, too, prefers fixed segments.
  std::map<std::pair<Method, std::string_view>, const Candidates*> fixed;
  std::string line;

  // Set by find(), or by the handler that Pistache runs in it.
  const Candidates* hit = nullptr;
  std::vector<std::string> raw_params;
  std::string choices;  // see RouteMatch

  void add(const std::pair<Method, std::string>& key, const Candidates& list) {
    const size_t count = list.front().names.size();
    if (count == 0) fixed.emplace(key, &list);
    const auto handler = [this, &list, count](const Rest::Request& request, Http::ResponseWriter) {
      hit = &list;
      for (size_t i = 0; i < count; ++i)
        raw_params.push_back(request.param(":p" + std::to_string(i)).as<std::string>());
      return Rest::Route::Result::Ok;
    };
    tree.addRoute(to_pistache(key.first), key.second, handler);
  }

  // Adds to `choices` the query parameters that `list` needs.
  void add_choices(const Candidates& list) {
    for (const auto& candidate : list) {
      if (!candidate.route.discriminator) continue;
      const auto& [key, value] = *candidate.route.discriminator;
      const std::string text = "?" + key + "=" + value;
      if (choices.find(text) == std::string::npos) choices += (choices.empty() ? "" : ", ") + text;
    }
  }

  // Sets `hit` and `raw_params`. Feeds the canonical request line only, because Pistache's header parser
  // throws on unknown values.
  void find_in_tree(Method method, std::string_view path) {
    line.assign(method_name(method)).append(" ").append(path).append(" HTTP/1.1\r\n\r\n");
    parser.reset();
    if (!parser.feed(line.data(), line.size()) || parser.parse() != Http::Private::State::Done) return;
    // The writer has no transport and no peer, because the connection writes the response.
    tree.route(parser.request, Http::ResponseWriter(Http::Version::Http11, nullptr, &null_handler,
                                                    std::weak_ptr<Pistache::Tcp::Peer>{}));
  }

  std::optional<RouteMatch> find(const RouteQuery& query, Method method) {
    hit = nullptr;
    raw_params.clear();
    if (const auto found = fixed.find({method, query.path}); found != fixed.end())
      hit = found->second;
    else
      find_in_tree(method, query.path);
    if (hit == nullptr) return {};
    const auto* chosen = choose(*hit, query);
    if (chosen == nullptr) {
      add_choices(*hit);
      return {};
    }
    return match_of(*chosen);
  }

  RouteMatch match_of(const Candidate& chosen) {
    RouteMatch match;
    match.route = &chosen.route;
    for (size_t i = 0; i < raw_params.size(); ++i)
      match.params.emplace_back(chosen.names[i], std::move(raw_params[i]));
    return match;
  }

  // After find() without a match: a route of this method and path that needs only a query parameter, of any
  // value.
  std::optional<RouteMatch> find_incomplete() {
    if (hit == nullptr) return {};
    for (const auto& candidate : *hit) {
      const auto& wanted = candidate.route.discriminator;
      if (!wanted || !wanted->value.empty() || candidate.route.upgrade) continue;
      RouteMatch match = match_of(candidate);
      match.missing = wanted->key;
      return match;
    }
    return {};
  }

  static RouteMatch whole_server() {
    RouteMatch result;
    result.allow = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS";
    return result;
  }

  RouteMatch no_match(const RouteQuery& query) {
    RouteMatch result;
    choices.clear();
    std::string& list = result.allow;
    bool get = false;
    for (const auto method : kRouted) {
      if (method == Method::options) continue;
      const auto match = find(query, method);
      const bool found = (method == Method::head && get) || match;
      get = get || (method == Method::get && found);
      if (found) list.append(list.empty() ? "" : ", ").append(method_name(method));
      if (match) result.neighbour = match->route;
    }
    if (!list.empty() || find(query, Method::options)) list.append(list.empty() ? "OPTIONS" : ", OPTIONS");
    if (list.empty()) result.choices = choices;
    return result;
  }

  RouteMatch resolve(const RouteQuery& query) {
    if (query.path == "*") return whole_server();
    if (has_empty_or_dot_segment(query.path)) return {};
    if (query.method != Method::other) {
      if (auto match = find(query, query.method)) return std::move(*match);
      if (auto match = find_incomplete()) return std::move(*match);
      if (query.method == Method::head)
        if (auto match = find(query, Method::get)) return std::move(*match);
    }
    return no_match(query);
  }
};

Router::Router(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Router::~Router() = default;

Result<std::unique_ptr<Router>> Router::create(const RouteTable& table, ListenerRole role) try {
  auto impl = std::make_unique<Impl>();
  for (const auto& route : table) {
    if ((route.listener_roles & role) == 0) continue;
    if (route.method == Method::other) return {Code::invalid, "route " + route.path + ": no such method"};
    PB_TRY_VALUE(auto pattern, parse_pattern(route.path));
    auto& list = impl->candidates[{route.method, pattern.tree}];
    for (const auto& other : list)
      if (choice_of(other.route) == choice_of(route)) return routed_twice(route);
    list.push_back({route, std::move(pattern.names)});
  }
  for (const auto& [key, list] : impl->candidates) impl->add(key, list);
  impl->tree.addNotFoundHandler(
      [](const Rest::Request&, Http::ResponseWriter) { return Rest::Route::Result::Ok; });
  return std::unique_ptr<Router>(new Router(std::move(impl)));
} catch (const std::exception& e) {
  return {Code::invalid, std::string("routes: ") + e.what()};
}

RouteMatch Router::resolve(const RouteQuery& query) try {
  return impl_->resolve(query);
} catch (const std::exception&) {
  return {};  // a path that Pistache cannot read matches no route
}

}  // namespace patchbay::rest_api
