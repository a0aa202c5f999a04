#include "dispatcher.h"

#include <utility>

#include "handler_request.h"
#include "handler_response.h"
#include "http/error_format.h"
#include "limits.h"
#include "paging.h"

namespace patchbay::rest_api {

struct Dispatcher::PendingRequest {
  std::shared_ptr<Exchange> exchange;
  std::shared_ptr<const RouteEntry> entry;
  int64_t started_ns = 0;
  http::Request request;
  Page page;
  Streams::Opening opening;
  bool rate_checked = false;
  bool answered = false;  // later replies of its handler are dropped

  void release_body();
};

// Frees the memory of the body, because a handler may keep the reply of an answered request for long.
void Dispatcher::PendingRequest::release_body() {
  std::string().swap(exchange->body);
  exchange->body_share = {};
  request = {};
}

Dispatcher::Dispatcher(const Host& host, const Settings& settings, RouteRegistry& registry,
                       AccessLog& access_log, ServerMetrics& metrics)
    : host_(&host),
      registry_(&registry),
      access_log_(&access_log),
      metrics_(&metrics),
      authorizer_(host, settings.tenants),
      rate_(settings.rate),
      streams_(host),
      deadlines_(host, settings.answer_ms, [this](const PendingPtr& pending) { expire(pending); }) {}

void Dispatcher::shorten_deadlines() { deadlines_.shorten(kStoppingAnswerMs); }

void Dispatcher::serve(std::shared_ptr<Exchange> exchange, int64_t started_ns) {
  auto pending = std::make_shared<PendingRequest>();
  pending->started_ns = started_ns;
  pending->entry = registry_->find(exchange->route);
  pending->exchange = std::move(exchange);
  if (!pending->entry) {
    pending->exchange->reply_error(404, "not_found", "there is nothing at this path");
    return;
  }
  pending->request.correlation = pending->exchange->request_id;
  deadlines_.add(pending);
  if (const auto& refusal = pending->exchange->refusal; refusal && refusal->is_final)
    return refuse(pending, *refusal);
  // Requests without a bearer are limited before they cost anything else.
  if (!Authorizer::has_bearer(*pending->exchange, pending->entry->route) && !within_rate(pending)) return;
  authorizer_.authorize(
      *pending->exchange, pending->entry->route,
      [this, pending](Authorizer::Decision decision) { authorized(pending, std::move(decision)); });
}

void Dispatcher::authorize_head(std::shared_ptr<Exchange> exchange, std::function<void()> proceed) {
  const auto entry = registry_->find(exchange->route);
  if (!entry) return proceed();
  const Request& request = *exchange;
  const http::Route& route = entry->route;
  authorizer_.authorize(
      request, route,
      [exchange = std::move(exchange), entry, proceed = std::move(proceed)](Authorizer::Decision decision) {
        exchange->refusal = std::move(decision.refusal);
        if (exchange->refusal) exchange->refusal->is_final = true;
        proceed();
      });
}

void Dispatcher::authorized(const PendingPtr& pending, Authorizer::Decision decision) {
  if (pending->answered) return;
  if (decision.refusal) return refuse(pending, *decision.refusal);
  http::Request& request = pending->request;
  Caller& caller = decision.caller;
  request.tenant = std::move(caller.tenant);
  request.subject = std::move(caller.subject);
  request.username = std::move(caller.username);
  request.role = std::move(caller.role);
  request.is_super = caller.is_super;
  request.is_key = caller.is_key;
  if (!within_rate(pending)) return;
  if (pending->exchange->refusal) return refuse(pending, *pending->exchange->refusal);
  if (const Status read = read_request(*host_, *pending->exchange, *pending->entry, request); !read)
    return refuse(pending, read.error().code == Code::exhausted
                               ? refusal_for(read.error())
                               : Refusal{400, "invalid_request", read.error().text});
  if (pending->entry->route.list) {
    const auto page = read_page(pending->exchange->query);
    if (!page) return refuse(pending, {400, "invalid_request", page.error().text});
    pending->page = *page;
    request.limit = page->limit;
    request.offset = page->offset;
  }
  if (Streams::is_stream(pending->entry->route))
    if (auto refusal = streams_.begin(*pending->exchange, pending->entry->route, request, pending->opening))
      return respond(pending, *std::move(refusal));
  call(pending);
}

void Dispatcher::expire(const PendingPtr& pending) {
  if (pending->answered) return;
  metrics_->count_timeout();
  Log(*host_)
      .with(pending->request.correlation)
      .error("a request was not answered in time",
             {{"route", pending->entry->route.method + " " + pending->entry->route.path}});
  refuse(pending, {503, "unavailable", "the answer took too long"});
}

// Counts each request once.
bool Dispatcher::within_rate(const PendingPtr& pending) {
  if (std::exchange(pending->rate_checked, true)) return true;
  const auto refusal = rate_.take(*pending->exchange, pending->request.subject, host_->mono_ns());
  if (refusal) refuse(pending, *refusal);
  return !refusal;
}

void Dispatcher::call(const PendingPtr& pending) {
  if (pending->entry->builtin) return on_reply(pending, pending->entry->builtin(pending->request));
  pending->entry->handler.call(http::Handler::handle, pending->request,
                               alive_.bind([this, pending](Result<http::Response>&& answer) {
                                 on_reply(pending, std::move(answer));
                               }));
}

// Without `total` the handler has returned all items from the offset.
int64_t Dispatcher::total_of(const http::Response& answer, const Page& page) const {
  if (answer.total >= 0) return answer.total;
  const bool is_array = answer.bytes.size() > 0;
  const auto body = host_->parse_json(is_array ? answer.bytes.view() : std::string_view(answer.body));
  const JsonView items = !body ? JsonView() : is_array ? body->root() : (*body)["data"];
  return page.offset + static_cast<int64_t>(items.size());
}

void Dispatcher::on_reply(const PendingPtr& pending, Result<http::Response>&& answer) {
  if (pending->answered) return;
  const Log log = Log(*host_).with(pending->request.correlation);
  const auto failed = [&](const Error& error) {
    log.error("a request failed", {{"route", pending->entry->route.method + " " + pending->entry->route.path},
                                   {"why", error.text}});
    if (error.code == Code::gone) registry_->remove_stale();
    refuse(pending, refusal_for(error));
  };
  if (!answer) return failed(answer.error());
  if (answer->listener) {
    auto head = pending->opening ? streams_.open(std::move(pending->opening), *answer, *pending->exchange)
                                 : Error{Code::invalid, "the route has no streams"};
    return head ? respond(pending, *std::move(head)) : failed(head.error());
  }
  const bool is_page = pending->entry->route.list && answer->status == 200;
  PageInfo info;
  if (is_page) info = {total_of(*answer, pending->page), std::move(answer->next_cursor)};
  auto response = server_response(*std::move(answer));
  if (!response) return failed(response.error());
  if (is_page) add_envelope(*response, info, pending->page, *pending->exchange);
  respond(pending, *std::move(response));
}

void Dispatcher::refuse(const PendingPtr& pending, const Refusal& refusal) {
  if (refusal.status == 429) metrics_->count_rate_limited();
  respond(pending, refusal_response(refusal, pending->entry->route.message_errors));
}

void Dispatcher::respond(const PendingPtr& pending, Response response) {
  pending->answered = true;
  pending->opening = {};
  const Exchange& exchange = *pending->exchange;
  const http::Route& route = pending->entry->route;
  AccessLog::Entry logged;
  logged.method = exchange.method_text;
  // The path of a route without a bearer may itself be a secret.
  logged.path = route.role == "none" ? std::string_view(route.path) : exchange.path;
  logged.status = response.status;
  logged.took_ns = host_->mono_ns() - pending->started_ns;
  logged.bytes = response.content_size();
  logged.remote = exchange.client;
  logged.user = pending->request.username;
  logged.uid = exchange.peer_uid;
  logged.correlation = pending->request.correlation;
  metrics_->count_request(logged.status, logged.took_ns);
  access_log_->write(logged);
  pending->exchange->reply(std::move(response));
  pending->release_body();
}

}  // namespace patchbay::rest_api
