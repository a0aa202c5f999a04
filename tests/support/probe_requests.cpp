#include "support/probe_requests.h"

#include <patchbay/store.h>

#include <sstream>

namespace probe {
namespace {

using namespace patchbay;

http::Response no_answer(const std::string& why) {
  http::Response response;
  response.status = 599;
  response.body = why;
  return response;
}

std::vector<std::string> segments(const std::string& path) {
  std::vector<std::string> list;
  std::istringstream in(path);
  for (std::string part; std::getline(in, part, '/');) list.push_back(part);
  return list;
}

// Whether the path matches the route; only then sets `params` to the path parameters.
bool matches(const std::string& route, const std::string& path, NameValues& params) {
  const auto wanted = segments(route);
  const auto given = segments(path);
  if (wanted.size() != given.size()) return false;
  NameValues named_segments;
  for (size_t i = 0; i < wanted.size(); ++i) {
    const bool named = wanted[i].size() > 2 && wanted[i].front() == '{';
    if (!named && wanted[i] != given[i]) return false;
    if (named) named_segments.add(wanted[i].substr(1, wanted[i].size() - 2), given[i]);
  }
  params = std::move(named_segments);
  return true;
}

// Waits at most a minute for the route; nullopt when there is none.
std::optional<http::Route> find(const Call& what, NameValues& params) {
  std::optional<http::Route> found;
  eventually([&] {
    for (const http::Route& route : routes()) {
      if (route.method == what.method && matches(route.path, what.path, params)) found = route;
    }
    return found.has_value();
  });
  return found;
}

}  // namespace

http::Response call(const Call& what) {
  http::Request request;
  request.path = what.path;
  request.query = what.query;
  request.headers = what.headers;
  request.tenant = what.tenant;
  request.username = "tester";
  request.role = "admin";
  request.limit = what.limit;
  request.offset = what.offset;
  request.body = Buffer::copy(what.body);
  const auto route = find(what, request.params);
  if (!route) return no_answer("no such route");
  auto response = ask(what.method, route->path, std::move(request), route->discriminator);
  if (!response) return no_answer(response.error().text);
  if (route->list && response->bytes.size() > 0)  // the array alone
    response->body = R"({"data":)" + std::string(response->bytes.view()) + "}";
  return *std::move(response);
}

bool emit(const NewEvent& event) {
  const auto done = ask_host<bool>([event](const Host& host, auto report) {
    Transaction tx(host);
    tx.emit(event);
    std::move(tx).commit([report](const Commit& outcome) { report(outcome.ok()); });
  });
  return done.value_or(false);
}

std::string text_member(const std::string& json, const std::string& name) {
  const std::string key = "\"" + name + "\":\"";
  const size_t at = json.find(key);
  if (at == std::string::npos) return {};
  const size_t begin = at + key.size();
  return json.substr(begin, json.find('"', begin) - begin);
}

}  // namespace probe
