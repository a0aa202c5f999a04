// FakeHttp: patchbay.http without a network. Passes the requests of a test to the routes of plugins, with the
// checks of the server: 404, 405 with Allow, 401, 403, 400, the list envelope, 500 and 503.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "../log.h"
#include "../services/http.h"
#include "../services/http_rules.h"
#include "http_text.h"
#include "test_environment.h"

namespace patchbay::testing {

// A request of a test. Role, tenant and the like are those that patchbay.auth would report for its bearer.
struct Ask {
  std::string method = "GET";
  std::string target = "/";  // "/hello?name=Eva%20B", percent-encoded
  std::string body = {};
  std::string role = "admin";  // or "user"; "": without a bearer
  bool is_super = false;       // an admin of the primary tenant
  bool is_key = false;         // the bearer is an API key
  std::string tenant = "localhost";
  std::string subject = "tester";
  detail::Pairs headers = {};  // names in lower case
  std::string listener = "public";
  std::string remote = "192.0.2.1";
};

class FakeHttp {
 public:
  explicit FakeHttp(TestEnvironment& environment)
      : environment_(&environment), routes_(&environment.make<Routes>()) {
    static_cast<void>(environment.provide<http::Http>([this](Provision<http::Http>& provision) {
      provision.on(http::Http::add_route, [this](http::Route route) { return add(std::move(route)); });
    }));
  }

  // The registered routes; a route is removed with its handler.
  std::vector<http::Route> routes() const {
    static_cast<void>(environment_->settle());
    return environment_->run([this] {
      sweep();
      return *routes_;
    });
  }

  // Waits for the response.
  http::Response ask(Ask request) const {
    auto answer = begin(std::move(request)).get();
    return answer ? *std::move(answer) : http::error(504, "timeout", answer.error().text);
  }
  // Returns at once, so that the test can advance clocks while it waits. `connection`: of a stream
  // (fake_stream.h).
  Answer<http::Response> begin(const Ask& ask, Handle connection = {}) const {
    const Answer<http::Response> answer(environment_->wait_ms());
    auto call = std::make_shared<Call>();
    if (auto refusal = admit(ask, *call)) {
      answer.give(*std::move(refusal));
      return answer;
    }
    call->request.connection = connection;
    post(environment_->host(), kMainStrand, [this, answer, call] {
      auto handler = std::make_shared<Lease<http::Handler>>(
          Lease<http::Handler>::open(environment_->host(), call->route.handler));
      handler->call(http::Handler::handle, call->request,
                    [this, answer, call, handler](Result<http::Response> reply) {
                      answer.give(finish(*call, std::move(reply)));
                    });
    });
    return answer;
  }

 private:
  using Routes = std::vector<http::Route>;
  struct Call {
    http::Route route;
    http::Request request;
    std::string path;  // as in the request
    detail::Pairs query;
  };
  using Refusal = std::optional<http::Response>;

  // [test's strand]
  void sweep() const {
    routes_->erase(std::remove_if(routes_->begin(), routes_->end(),
                                  [this](const http::Route& route) {
                                    return !Lease<http::Handler>::open(environment_->host(), route.handler);
                                  }),
                   routes_->end());
  }
  // [test's strand]
  Result<http::Registered> add(http::Route route) const {
    sweep();
    PB_TRY(http::check_route(environment_->host(), route));
    for (const http::Route& other : *routes_)
      if (http::same_place(route, other))
        return Error{Code::conflict, "route " + route.method + " " + route.path + " is there already"};
    routes_->push_back(std::move(route));
    return http::Registered{static_cast<int64_t>(routes_->size())};
  }

  static http::Response refuse(const http::Route& route, int64_t status, std::string_view code,
                               std::string_view text) {
    return route.message_errors ? http::message_error(status, text) : http::error(status, code, text);
  }

  // Fills `call` for the handler, or returns the refusal.
  Refusal admit(const Ask& ask, Call& call) const {
    const auto question = std::min(ask.target.find('?'), ask.target.size());
    call.path = ask.target.substr(0, question);
    call.query =
        detail::read_query(std::string_view(ask.target).substr(std::min(question + 1, ask.target.size())));
    if (auto refusal = find_route(ask, call)) return refusal;
    if (auto refusal = check_bearer(ask, call.route)) return refusal;
    const Status read_well = read(ask, call);
    if (!read_well) return refuse(call.route, 400, "invalid_request", read_well.error().text);
    return std::nullopt;
  }

  Refusal find_route(const Ask& ask, Call& call) const {
    int best = -1;
    std::string allow;
    for (const http::Route& route : routes()) {
      auto params = detail::match_path(route.path, call.path);
      const int rank = rank_of(route, call.query);
      if (!params || rank < 0 || (ask.listener != "local" && ask.listener != route.listener)) continue;
      const bool by_method = route.method == ask.method || (ask.method == "HEAD" && route.method == "GET");
      if (!by_method && allow.find(route.method) == std::string::npos)
        allow += (allow.empty() ? "" : ", ") + route.method;
      if (!by_method || rank <= best) continue;
      best = rank;
      call.route = route;
      call.request.params = detail::values_of(*params);
    }
    if (best >= 0) return std::nullopt;
    if (allow.empty()) return http::error(404, "not_found", "there is nothing at this path");
    http::Response response = http::error(405, "method_not_allowed", "this path allows " + allow);
    response.headers.add("Allow", allow);
    return response;
  }
  // The rank of a route among those of its path: those with a discriminator first; -1: it does not match.
  static int rank_of(const http::Route& route, const detail::Pairs& query) {
    if (route.discriminator.empty()) return 0;
    const auto equals = std::min(route.discriminator.find('='), route.discriminator.size());
    const std::string* value = detail::find_pair(query, route.discriminator.substr(0, equals));
    const auto wanted = route.discriminator.substr(std::min(equals + 1, route.discriminator.size()));
    if (value == nullptr || (!wanted.empty() && *value != wanted)) return -1;
    return wanted.empty() ? 1 : 2;
  }

  static Refusal check_bearer(const Ask& ask, const http::Route& route) {
    if (route.role == "none" || ask.listener == "local") return std::nullopt;
    if (ask.role.empty())
      return refuse(route, 401, "invalid_token", "this needs the header Authorization: Bearer <token>");
    if (route.role == "admin" && ask.role != "admin")
      return refuse(route, 403, "insufficient_role", "this needs a bearer with role=admin");
    if (route.role == "super" && !ask.is_super)
      return refuse(route, 403, "insufficient_role", "this needs an admin of the primary tenant");
    if (route.oidc_only && ask.is_key)
      return refuse(route, 403, "insufficient_role", "this needs an OIDC access token, not an API key");
    return std::nullopt;
  }

  Status read(const Ask& ask, Call& call) const {
    http::Request& request = call.request;
    request.method = call.route.method;
    request.is_head = ask.method == "HEAD";
    request.path = detail::decode(call.path);
    PB_TRY_VALUE(request.query, read_query(call));
    if (call.route.list) PB_TRY(read_page(call));
    if (!ask.body.empty()) request.body = Buffer::copy(ask.body);
    request.headers = detail::values_of(ask.headers);
    request.remote = ask.remote;
    request.listener = ask.listener;
    request.host = ask.listener == "local" ? std::string() : ask.tenant;
    request.tenant = ask.tenant;
    request.correlation = "0123456789abcdef";
    if (call.route.role == "none" && ask.listener != "local") return {};
    const bool local = ask.listener == "local";
    request.subject = local ? "operator" : ask.subject;
    request.username = request.subject;
    request.role = local ? "admin" : ask.role;
    request.is_super = local || ask.is_super;
    request.is_key = ask.is_key;
    return {};
  }
  Result<NameValues> read_query(const Call& call) const {
    if (call.route.query_schema.empty()) return detail::values_of(call.query);
    PB_TRY_VALUE(const Json doc, environment_->host().parse_json(call.route.query_schema));
    PB_TRY_VALUE(const Schema schema, Schema::compile(environment_->host(), call.route.query_schema));
    PB_TRY_VALUE(const Json checked, schema.read(detail::typed_object(call.query, doc["properties"])));
    NameValues all;
    const JsonView root = checked.root();
    for (size_t i = 0; i < root.size(); ++i)
      if (const JsonView value = root.at(i); !value.is_null())
        all.add(root.key(i),
                value.is_string() ? std::string(value.text()) : environment_->host().write_json(value));
    return all;
  }
  static Status read_page(Call& call) {
    if (const std::string* limit = detail::find_pair(call.query, "limit")) {
      if (!detail::is_number(*limit, true) || std::stoll(*limit) < 1)
        return {Code::invalid, "limit must be a whole number of at least 1"};
      call.request.limit = std::min<int64_t>(std::stoll(*limit), 500);
    }
    if (const std::string* offset = detail::find_pair(call.query, "offset")) {
      if (!detail::is_number(*offset, true) || std::stoll(*offset) < 0)
        return {Code::invalid, "offset must be a whole number of at least 0"};
      call.request.offset = std::stoll(*offset);
    }
    return {};
  }

  // [test's strand] Returns the response that the client would get.
  http::Response finish(const Call& call, Result<http::Response> reply) const {
    if (!reply) {
      const Code code = reply.error().code;
      if (code == Code::unavailable || code == Code::gone || code == Code::exhausted || code == Code::timeout)
        return refuse(call.route, 503, "unavailable", "this is not available at the moment; try again later");
      return refuse(call.route, 500, "internal_error", "the request could not be processed");
    }
    if (const Status can_be_sent = http::check_response(*reply); !can_be_sent) {
      Log(environment_->host())
          .error("an answer could not be sent",
                 {{"route", call.route.method + " " + call.route.path}, {"why", can_be_sent.error().text}});
      return refuse(call.route, 500, "internal_error", "the answer could not be written");
    }
    if (call.route.list && reply->status == 200) {
      if (reply->bytes.size() > 0) reply->body = R"({"data":)" + std::string(reply->bytes.view()) + "}";
      reply->bytes = {};
      reply->body = envelope(call, *reply);
    }
    if (call.request.is_head) {
      reply->body.clear();
      reply->bytes = {};
    }
    return *std::move(reply);
  }
  std::string envelope(const Call& call, const http::Response& answer) const {
    const int64_t limit = call.request.limit, offset = call.request.offset;
    int64_t total = answer.total;
    const auto body = environment_->host().parse_json(answer.body);
    if (total < 0) total = offset + (body ? static_cast<int64_t>((*body)["data"].size()) : 0);
    const auto end = answer.body.rfind('}');
    if (end == std::string::npos) return answer.body;
    JsonWriter tail;
    tail.object().member("total", total).member("limit", limit).member("offset", offset).key("next");
    const std::string& cursor = answer.next_cursor;
    const bool by_cursor = detail::find_pair(call.query, "cursor") != nullptr;
    if (!cursor.empty() || (!by_cursor && offset + limit < total))
      tail.value(call.path + "?limit=" + std::to_string(limit) + "&offset=" + std::to_string(offset + limit) +
                 (cursor.empty() ? "" : "&cursor=" + percent_encode(cursor)));
    else
      tail.null();
    const bool only = body && body->root().size() == 0;
    return answer.body.substr(0, end) + (only ? "" : ",") + tail.end().str().substr(1);
  }

  TestEnvironment* environment_;
  Routes* routes_;  // touched on the test's strand only; lives as long as the environment
};

}  // namespace patchbay::testing
