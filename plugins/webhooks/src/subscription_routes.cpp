#include "subscription_routes.h"

#include <patchbay/random_id.h>
#include <patchbay/services/http_list.h>
#include <patchbay/strand.h>

#include <memory>

#include "curl/curl_functions.h"
#include "receiver_url.h"
#include "route_schemas.h"
#include "subscription_json.h"
#include "webhook_limits.h"

namespace patchbay::webhooks {
namespace {

constexpr const char* kListPath = "/api.ashx/v1/webhooks";
constexpr std::string_view kAdminPath = "/api.ashx/v1/admin/webhooks";

constexpr char kCreated[] =
    R"({"statuses": {"201": "Created", "409": "conflict: the tenant has 100 subscriptions already"}})";
constexpr char kConflicts[] =
    R"({"statuses": {"409": "read_only: defined by configuration; conflict: changed meanwhile"}})";

using http::Request;
using http::Response;

Response read_only() {
  return http::error(409, "read_only", "this subscription is defined by configuration: change it there");
}
Response invalid(const std::string& text) { return http::error(400, "invalid_request", text); }

Result<Response> failed(const Status& status) {
  if (status.error().code == Code::conflict)
    return http::error(409, "conflict", "the subscription was changed meanwhile: try again");
  return status.error();
}

// An invalid member of the body is 400, anything else an error of the server.
Result<Response> refused(const Error& error, const std::string& member = "") {
  return error.code == Code::invalid ? Result<Response>(invalid(member + error.text))
                                     : Result<Response>(error);
}

std::string audited(const Subscription& subscription) {
  return audited_subscription(subscription.url, subscription.events, subscription.active);
}

std::string secret_number(int64_t number) {
  return JsonWriter().object().member("secretNumber", number).end().str();
}

// Logs a change of a subscription with its user and receiver.
void log_change(const Log& log, const Request& request, std::string_view what, const std::string& id,
                const std::string& receiver) {
  log.with(request.correlation)
      .info(what, {{"subscription", id},
                   {"tenant", request.tenant},
                   {"receiver", receiver},
                   {"by", request.username}});
}
void log_change(const Log& log, const Request& request, std::string_view what,
                const Subscription& subscription) {
  log_change(log, request, what, subscription.id, loggable(subscription.url));
}

}  // namespace

http::Response no_such_subscription() { return http::error(404, "not_found", "no such subscription"); }

http::Route webhook_route(const char* method, std::string_view tail, const char* summary) {
  http::Route route;
  route.method = method;
  route.path = std::string(kAdminPath).append(tail);
  route.area = "webhooks";
  route.summary = summary;
  return route;
}

SubscriptionRoutes::SubscriptionRoutes(const Host& host, const Log& log, const EventCatalogue& catalogue,
                                       SubscriptionRegistry& registry, SubscriptionStore& store,
                                       DeliveryQueue& queue)
    : host_(host),
      log_(log),
      catalogue_(catalogue),
      registry_(registry),
      store_(store),
      queue_(queue),
      routes_(host) {
  add_routes();
}

void SubscriptionRoutes::start() { routes_.open(); }

void SubscriptionRoutes::add_routes() {
  http::Route list_route;
  list_route.method = "GET";
  list_route.path = kListPath;
  list_route.area = "webhooks";
  list_route.summary = "Lists the tenant's webhook subscriptions; secrets are left out";
  list_route.list = true;
  list_route.reply_schema = subscription_schema();
  routes_.add(std::move(list_route), [this](const Request& request) { return list(request); });

  http::Route admin_list =
      webhook_route("GET", "", "Lists the tenant's subscriptions, as /api.ashx/v1/webhooks");
  admin_list.list = true;
  admin_list.reply_schema = subscription_schema();
  routes_.add(std::move(admin_list), [this](const Request& request) { return list(request); });
  http::Route one = webhook_route("GET", "/{id}", "Returns a subscription; its secret is left out");
  one.reply_schema = subscription_schema();
  routes_.add(std::move(one), [this](const Request& request) { return get(request); });

  const auto add = [this](const char* method, std::string_view tail, const char* summary, std::string schema,
                          std::string reply_schema, const char* documents, Handle handle,
                          const char* example = "") {
    http::Route route = webhook_route(method, tail, summary);
    route.example = example;
    route.request_schema = std::move(schema);
    route.reply_schema = std::move(reply_schema);
    route.documents = documents;
    routes_.add(std::move(route), [this, handle](const Request& request, Reply reply) {
      take(request, std::move(reply), handle);
    });
  };
  add("POST", "", "Creates a subscription; the secret is shown in this response only",
      create_schema(catalogue_), subscription_schema(true), kCreated, &SubscriptionRoutes::create,
      R"({"request": {"url": "https://example.com/hook", "events": ["outbound-ai.finished", "transcript.saved"]}})");
  add("PATCH", "/{id}", "Changes a subscription, or pauses and reactivates it", change_schema(catalogue_),
      subscription_schema(), kConflicts, &SubscriptionRoutes::change, R"({"request": {"active": true}})");
  add("DELETE", "/{id}", "Deletes a subscription and its deliveries", "", deleted_schema(), kConflicts,
      &SubscriptionRoutes::remove);
  add("POST", "/{id}/rotate", "Gives a subscription a new secret, shown in this response only",
      secret_schema(), subscription_schema(true), kConflicts, &SubscriptionRoutes::rotate);
}

// A worker loads it, because the strand would stand still meanwhile. Not at the start, because most servers
// have no subscription.
void SubscriptionRoutes::take(const Request& request, Reply reply, Handle handle) {
  if (curl_is_loaded_) return (this->*handle)(request, std::move(reply));
  // Shared with the task, because post_worker() destroys a task that it refuses, and the reply is needed.
  struct Work {
    Request request;
    Reply reply;
    bool is_loaded = false;
  };
  auto work = std::make_shared<Work>(Work{request, std::move(reply)});
  auto then = alive_.bind([this, work, handle] {
    curl_is_loaded_ = work->is_loaded;
    (this->*handle)(work->request, std::move(work->reply));
  });
  const Status queued = post_worker(host_, [&host = host_, work, then = std::move(then)]() mutable {
    work->is_loaded = lib::load_curl().ok();
    post(host, kMainStrand, std::move(then));
  });
  if (!queued) work->reply(queued.error());
}

Subscription* SubscriptionRoutes::find(const Request& request) {
  return registry_.find(request.params.text("id"), request.tenant);
}

Result<Response> SubscriptionRoutes::list(const Request& request) const {
  return http::list_page(
      registry_.of_tenant(request.tenant), request,
      [this](JsonWriter& body, const auto* each) { write_subscription(body, *each, catalogue_); });
}

Result<Response> SubscriptionRoutes::get(const Request& request) {
  const Subscription* subscription = find(request);
  if (subscription == nullptr) return no_such_subscription();
  return http::ok(subscription_json(*subscription, catalogue_));
}

void SubscriptionRoutes::create(const Request& request, Reply reply) {
  const JsonView body = request.json();
  if (request.tenant.empty()) return reply(invalid("tenant is missing: name it with ?tenant="));
  auto id = random_id({}, 16);
  auto secret = read_secret(body);
  if (!id) return reply(id.error());
  if (!secret) return reply(refused(secret.error()));
  Definition made;
  made.id = *std::move(id);
  made.tenant = request.tenant;
  made.url = body.text("url", "");
  made.events = read_events(body["events"]);
  made.secret = *std::move(secret);
  if (Status status = check_receiver_url(made.url, settings_.allows_private(made.tenant)); !status)
    return reply(refused(status.error(), "url "));
  if (Status status = catalogue_.check(made.events); !status) return reply(invalid(status.error().text));
  // With those whose commit is under way, because otherwise parallel requests would exceed the limit.
  if (registry_.of_tenant(made.tenant).size() + creating_.count(made.tenant) >= kMaxSubscriptionsPerTenant)
    return reply(http::error(409, "conflict", "a tenant has at most 100 subscriptions: delete one first"));
  creating_.insert(made.tenant);
  store_.create(made, request.username,
                audit::record_of(request, "webhook.created", made.id, "",
                                 audited_subscription(made.url, made.events, true)),
                alive_.bind([this, request, id = made.id, secret = made.secret,
                             reply = std::move(reply)](const Status& status) mutable {
                  creating_.erase(creating_.find(request.tenant));
                  const Subscription* subscription = registry_.find(id);
                  if (!status) return reply(failed(status));
                  if (subscription == nullptr) return reply(no_such_subscription());
                  log_change(log_, request, "subscription created", *subscription);
                  Response response = http::ok(subscription_json(*subscription, catalogue_, secret));
                  response.status = 201;
                  reply(std::move(response));
                }));
}

void SubscriptionRoutes::change(const Request& request, Reply reply) {
  const Subscription* subscription = find(request);
  if (subscription == nullptr) return reply(no_such_subscription());
  const JsonView url = request.json()["url"];
  const JsonView events = request.json()["events"];
  // `active` is state, not definition, so it may also change for configured subscriptions.
  if (subscription->from_config && (!url.is_null() || !events.is_null())) return reply(read_only());
  SubscriptionStore::Change change;
  change.url = url.text(subscription->url);
  change.events = events.is_null() ? subscription->events : read_events(events);
  change.active = request.json().boolean("active", subscription->active);
  if (Status status = check_receiver_url(change.url, settings_.allows_private(request.tenant)); !status)
    return reply(refused(status.error(), "url "));
  if (!events.is_null()) {
    if (Status status = catalogue_.check(change.events); !status) return reply(invalid(status.error().text));
  }
  if (change.url == subscription->url && change.events == subscription->events &&
      change.active == subscription->active)
    return reply(http::ok(subscription_json(*subscription, catalogue_)));
  audit::Record record =
      audit::record_of(request, "webhook.changed", subscription->id, audited(*subscription),
                       audited_subscription(change.url, change.events, change.active));
  store_.change(*subscription, std::move(change), std::move(record),
                alive_.bind([this, request, id = subscription->id,
                             reply = std::move(reply)](const Status& status) mutable {
                  if (!status) return reply(failed(status));
                  const Subscription* changed = registry_.find(id);
                  if (changed == nullptr) return reply(no_such_subscription());
                  log_change(log_, request, "subscription changed", *changed);
                  queue_.wake(id);
                  reply(http::ok(subscription_json(*changed, catalogue_)));
                }));
}

void SubscriptionRoutes::remove(const Request& request, Reply reply) {
  const Subscription* subscription = find(request);
  if (subscription == nullptr) return reply(no_such_subscription());
  if (subscription->from_config) return reply(read_only());
  std::string deleted = "{\"deleted\":" + subscription_json(*subscription, catalogue_) + "}";
  store_.remove(
      *subscription,
      audit::record_of(request, "webhook.deleted", subscription->id, audited(*subscription), ""),
      alive_.bind([this, request, id = subscription->id, receiver = loggable(subscription->url),
                   deleted = std::move(deleted), reply = std::move(reply)](const Status& status) mutable {
        if (!status) return reply(failed(status));
        log_change(log_, request, "subscription deleted", id, receiver);
        reply(http::ok(std::move(deleted)));
      }));
}

void SubscriptionRoutes::rotate(const Request& request, Reply reply) {
  const Subscription* subscription = find(request);
  if (subscription == nullptr) return reply(no_such_subscription());
  if (subscription->from_config) return reply(read_only());
  const auto made = read_secret(request.json());
  if (!made) return reply(refused(made.error()));
  if (subscription->secrets.size() >= kMaxSecrets)
    return reply(http::error(409, "conflict", "the secret was rotated too often: try again in a day"));
  const std::string& secret = *made;
  const int64_t number = subscription->secrets.empty() ? 0 : subscription->secrets.back().rev;
  store_.rotate(*subscription, secret,
                audit::record_of(request, "webhook.secret-rotated", subscription->id, secret_number(number),
                                 secret_number(number + 1)),
                alive_.bind([this, request, id = subscription->id, secret,
                             reply = std::move(reply)](const Status& status) mutable {
                  if (!status) return reply(failed(status));
                  const Subscription* rotated = registry_.find(id);
                  if (rotated == nullptr) return reply(no_such_subscription());
                  log_change(log_, request, "subscription secret rotated", *rotated);
                  reply(http::ok(subscription_json(*rotated, catalogue_, secret)));
                }));
}

}  // namespace patchbay::webhooks
