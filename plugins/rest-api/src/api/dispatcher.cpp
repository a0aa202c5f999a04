#include "dispatcher.h"

#include "paging.h"
#include "request_map.h"
#include "response_map.h"

namespace patchbay::rest_api {

struct Dispatcher::Turn {
  std::shared_ptr<Exchange> exchange;
  std::shared_ptr<const Target> target;
  int64_t started_ns = 0;
  http::Request request;
  Page page;
  bool rated = false;     // its tokens were taken
  bool finished = false;  // answered: what its handler says later is dropped

  void release_body();

  Status read(const Host& host);
};

namespace {

// So many octets of body cost as much as a request.
constexpr double kOctetsPerToken = 4096;
constexpr int64_t kHurryMs = 5'000;

double cost_of(const Exchange& exchange) {
  return 1 + static_cast<double>(exchange.body.size()) / kOctetsPerToken;
}

}  // namespace

// Fills the handler's request; the error is the client's. The body is left to the handler's side, which
// parses it once by the route's schema.
Status Dispatcher::Turn::read(const Host& host) {
  request.method = target->route.method;
  request.is_head = exchange->method == Method::head;
  request.path = percent_decode(exchange->path).value_or(std::string(exchange->path));
  request.params = name_values(exchange->params);
  PB_TRY_VALUE(request.query, target->query.read(host, exchange->query));
  if (target->route.list) {
    PB_TRY_VALUE(page, read_page(exchange->query));
    request.limit = page.limit;
    request.offset = page.offset;
  }
  if (!exchange->body.empty()) request.body = Buffer::copy(exchange->body);
  request.headers = header_values(exchange->headers);
  request.remote = exchange->client;
  request.host = exchange->surface == kLocal ? std::string() : exchange->host;
  request.surface = surface_name(exchange->surface);
  return {};
}

// An answered request holds no memory for its body, however long its handler keeps the callback.
void Dispatcher::Turn::release_body() {
  std::string().swap(exchange->body);
  exchange->body_share = {};
  request = {};
}

Dispatcher::Dispatcher(const Host& host, const Settings& settings, RouteRegistry& registry, Traffic& traffic)
    : host_(&host),
      registry_(&registry),
      traffic_(&traffic),
      gatekeeper_(host, settings.tenants),
      limiter_(settings.rate),
      deadlines_(host, settings.answer_ms, [this](const TurnPtr& turn) { expire(turn); }) {}

void Dispatcher::hurry() { deadlines_.shorten(kHurryMs); }

void Dispatcher::serve(std::shared_ptr<Exchange> exchange, int64_t started_ns) {
  auto turn = std::make_shared<Turn>();
  turn->started_ns = started_ns;
  turn->target = registry_->find(exchange->route);
  turn->exchange = std::move(exchange);
  if (!turn->target) {
    turn->exchange->reply_error(404, "not_found", "there is nothing at this path");
    return;
  }
  turn->request.correlation = turn->exchange->request_id;
  deadlines_.add(turn);
  if (const auto& refusal = turn->exchange->refusal; refusal && refusal->is_final)
    return refuse(turn, *refusal);
  // Requests without a bearer are limited before anything is done for them.
  if (!Gatekeeper::has_bearer(*turn->exchange) && !within_rate(turn)) return;
  gatekeeper_.admit(*turn->exchange, turn->target->route,
                    [this, turn](Gatekeeper::Verdict verdict) { admitted(turn, std::move(verdict)); });
}

void Dispatcher::look(std::shared_ptr<Exchange> exchange, std::function<void()> proceed) {
  const auto target = registry_->find(exchange->route);
  if (!target) return proceed();
  const Request& request = *exchange;
  const http::Route& route = target->route;
  gatekeeper_.admit(
      request, route,
      [exchange = std::move(exchange), target, proceed = std::move(proceed)](Gatekeeper::Verdict verdict) {
        exchange->refusal = std::move(verdict.refusal);
        if (exchange->refusal) exchange->refusal->is_final = true;
        proceed();
      });
}

void Dispatcher::admitted(const TurnPtr& turn, Gatekeeper::Verdict verdict) {
  if (turn->finished) return;
  if (verdict.refusal) return refuse(turn, *verdict.refusal);
  http::Request& request = turn->request;
  Caller& caller = verdict.caller;
  request.tenant = std::move(caller.tenant);
  request.subject = std::move(caller.subject);
  request.username = std::move(caller.username);
  request.role = std::move(caller.role);
  request.is_super = caller.is_super;
  request.is_key = caller.is_key;
  if (!within_rate(turn)) return;
  if (turn->exchange->refusal) return refuse(turn, *turn->exchange->refusal);
  if (const Status read_well = turn->read(*host_); !read_well)
    return refuse(turn, {400, "invalid_request", read_well.error().text});
  call(turn);
}

void Dispatcher::expire(const TurnPtr& turn) {
  if (turn->finished) return;
  traffic_->count_timeout();
  Log(*host_)
      .with(turn->request.correlation)
      .error("a request was not answered in time",
             {{"route", turn->target->route.method + " " + turn->target->route.path}});
  refuse(turn, {503, "unavailable", "the answer took too long"});
}

// Address and account together: strangers cannot use up what an account may. Large bodies weigh more.
bool Dispatcher::within_rate(const TurnPtr& turn) {
  if (turn->exchange->surface != kPublic || std::exchange(turn->rated, true)) return true;
  const int64_t wait_ms = limiter_.take(turn->exchange->client, host_->mono_ns(), turn->request.subject,
                                        cost_of(*turn->exchange));
  if (wait_ms == 0) return true;
  Refusal refusal{429, "rate_limited", "too many requests; slow down"};
  refusal.retry_after_sec = (wait_ms + 999) / 1000;
  refuse(turn, refusal);
  return false;
}

void Dispatcher::call(const TurnPtr& turn) {
  if (turn->target->own) return answered(turn, turn->target->own(turn->request));
  turn->target->handler.call(
      http::Handler::handle, turn->request,
      alive_.bind([this, turn](Result<http::Response>&& answer) { answered(turn, std::move(answer)); }));
}

// A handler that gives no total has given everything from the offset on.
int64_t Dispatcher::total_of(const http::Response& answer, const Page& page) const {
  if (answer.total >= 0) return answer.total;
  const auto body = host_->parse_json(answer.body);
  return page.offset + (body ? static_cast<int64_t>((*body)["data"].size()) : 0);
}

void Dispatcher::answered(const TurnPtr& turn, Result<http::Response>&& answer) {
  if (turn->finished) return;
  const Log log = Log(*host_).with(turn->request.correlation);
  const auto failed = [&](const Error& error) {
    log.error("a request failed",
              {{"route", turn->target->route.method + " " + turn->target->route.path}, {"why", error.text}});
    if (error.code == Code::gone) registry_->sweep();
    refuse(turn, refusal_of_failure(error));
  };
  if (!answer) return failed(answer.error());
  const bool is_page = turn->target->route.list && answer->status == 200;
  const int64_t total = is_page ? total_of(*answer, turn->page) : 0;
  auto response = response_of(*std::move(answer));
  if (!response) return failed(response.error());
  if (is_page && response->bytes.size() == 0)
    response->body =
        with_envelope(response->body, total, turn->page, turn->exchange->path, turn->exchange->query);
  finish(turn, *std::move(response));
}

void Dispatcher::refuse(const TurnPtr& turn, const Refusal& refusal) {
  if (refusal.status == 429) traffic_->count_rate_limited();
  finish(turn, rest_api::refuse(refusal, turn->target->route));
}

void Dispatcher::finish(const TurnPtr& turn, Response response) {
  turn->finished = true;
  const Exchange& exchange = *turn->exchange;
  const http::Route& route = turn->target->route;
  Traffic::Served served;
  served.method = exchange.method_text;
  // Paths that need no bearer may be secrets themselves.
  served.path = route.role == "none" ? std::string_view(route.path) : exchange.path;
  served.status = response.status;
  served.took_ns = host_->mono_ns() - turn->started_ns;
  served.bytes = response.content().size();
  served.remote = exchange.client;
  served.user = turn->request.username;
  served.uid = exchange.peer_uid;
  served.correlation = turn->request.correlation;
  traffic_->note(served);
  turn->exchange->reply(std::move(response));
  turn->release_body();
}

}  // namespace patchbay::rest_api
