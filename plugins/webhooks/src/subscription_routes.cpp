#include "subscription_routes.h"

#include <patchbay/random_id.h>

#include <algorithm>
#include <set>

#include "receiver_url.h"
#include "route_schemas.h"
#include "subscription_json.h"

namespace patchbay::webhooks {
namespace {

constexpr size_t kMaxPerTenant = 100;
constexpr size_t kMaxSecrets = 50;  // Retention deletes those that no pending delivery needs
constexpr size_t kMinDistinct = 8;
constexpr const char* kListPath = "/api.ashx/v1/webhooks";
constexpr std::string_view kAdminPath = "/api.ashx/v1/admin/webhooks";

constexpr char kCreated[] =
    R"({"statuses": {"201": "Made", "409": "conflict: the tenant has 100 subscriptions already"}})";
constexpr char kConflicts[] =
    R"({"statuses": {"409": "read_only: defined by configuration; conflict: changed meanwhile"}})";

using http::Request;
using http::Response;

Response missing() { return http::error(404, "not_found", "no such subscription"); }
Response read_only() {
  return http::error(409, "read_only", "this subscription is defined by configuration: change it there");
}
Response invalid(const std::string& text) { return http::error(400, "invalid_request", text); }

Result<Response> failed(const Status& status) {
  if (status.error().code == Code::conflict)
    return http::error(409, "conflict", "the subscription was changed meanwhile: try again");
  return status.error();
}

// The secret in the body, or a new one of 256 bits. Sentences and repeated characters are refused as too
// weak.
Result<std::string> read_secret(JsonView body) {
  const std::string_view given = body.text("secret", "");
  if (given.empty()) return random_id({}, 64);
  const auto blank = [](char c) { return c <= 0x20 || c >= 0x7f; };
  const std::set<char> different(given.begin(), given.end());
  if (std::any_of(given.begin(), given.end(), blank) || different.size() < kMinDistinct)
    return {Code::invalid,
            "secret must be random: ASCII without blanks and at least 8 different characters, as openssl "
            "rand -hex 32 "
            "gives; leave it out to have one made"};
  return std::string(given);
}

Result<Response> no_secret(const Error& error) {
  return error.code == Code::invalid ? Result<Response>(invalid(error.text)) : Result<Response>(error);
}

// Logs a change of a subscription with its user and receiver.
void audit(const Log& log, const Request& request, std::string_view what, const Subscription& subscription) {
  log.with(request.correlation)
      .info(what, {{"subscription", subscription.id},
                   {"tenant", subscription.tenant},
                   {"receiver", loggable(subscription.url)},
                   {"by", request.username}});
}

}  // namespace

SubscriptionRoutes::SubscriptionRoutes(const Host& host, const Log& log, const EventCatalogue& catalogue,
                                       SubscriptionRegistry& registry, SubscriptionStore& store,
                                       FanOut& fan_out, DeliveryQueue& dispatcher)
    : host_(host),
      log_(log),
      catalogue_(catalogue),
      registry_(registry),
      store_(store),
      fan_out_(fan_out),
      dispatcher_(dispatcher),
      count_(Statement::find(host, "deliveries-count")),
      list_(Statement::find(host, "deliveries-list")),
      resend_(Statement::find(host, "delivery-resend")),
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

  using Handle = void (SubscriptionRoutes::*)(const Request&, Answer);
  const auto add = [this](const char* method, std::string_view tail, const char* summary, std::string schema,
                          std::string reply, const char* documents, Handle handle) {
    http::Route route;
    route.method = method;
    route.path = std::string(kAdminPath).append(tail);
    route.area = "webhooks";
    route.summary = summary;
    route.request_schema = std::move(schema);
    route.reply_schema = std::move(reply);
    route.documents = documents;
    route.list = tail == "/{id}/deliveries";
    routes_.add(std::move(route), [this, handle](const Request& request, Answer answer) {
      (this->*handle)(request, std::move(answer));
    });
  };
  add("POST", "", "Creates a subscription; the secret is shown in this answer only",
      create_schema(catalogue_), subscription_schema(true), kCreated, &SubscriptionRoutes::create);
  add("PATCH", "/{id}", "Changes a subscription, or pauses and reactivates it", change_schema(catalogue_),
      subscription_schema(), kConflicts, &SubscriptionRoutes::change);
  add("DELETE", "/{id}", "Deletes a subscription and its deliveries", "", deleted_schema(), kConflicts,
      &SubscriptionRoutes::remove);
  add("POST", "/{id}/rotate", "Gives a subscription a new secret, shown in this answer only", secret_schema(),
      subscription_schema(true), kConflicts, &SubscriptionRoutes::rotate);
  add("POST", "/{id}/test", "Sends webhook.test to the receiver, also when paused", "", sent_schema(), "",
      &SubscriptionRoutes::test);
  add("GET", "/{id}/deliveries", "Lists the deliveries of a subscription, newest first", "",
      delivery_schema(), "", &SubscriptionRoutes::deliveries);
  add("POST", "/{id}/deliveries/{deliveryId}/resend", "Sends an ended delivery again, from attempt 1", "",
      sent_schema(), "", &SubscriptionRoutes::resend);
}

Subscription* SubscriptionRoutes::find(const Request& request) {
  return registry_.find(request.params.text("id"), request.tenant);
}

Result<Response> SubscriptionRoutes::list(const Request& request) const {
  const auto all = registry_.of_tenant(request.tenant);
  JsonWriter body;
  body.object().key("data").array();
  const auto begin = static_cast<size_t>(request.offset);
  for (size_t i = begin; i < all.size() && i - begin < static_cast<size_t>(request.limit); ++i)
    write_subscription(body, *all[i], catalogue_);
  body.end().end();
  Response response = http::ok(std::move(body).str());
  response.total = static_cast<int64_t>(all.size());
  return response;
}

void SubscriptionRoutes::create(const Request& request, Answer answer) {
  const JsonView body = request.json();
  if (request.tenant.empty()) return answer(invalid("tenant is missing: name it with ?tenant="));
  auto id = random_id({}, 16);
  auto secret = read_secret(body);
  if (!id) return answer(id.error());
  if (!secret) return answer(no_secret(secret.error()));
  Definition made;
  made.id = *std::move(id);
  made.tenant = request.tenant;
  made.url = body.text("url", "");
  made.events = read_events(body["events"]);
  made.secret = *std::move(secret);
  if (Status status = check_receiver_url(made.url, settings_.allows_private(made.tenant)); !status)
    return answer(invalid("url " + status.error().text));
  if (Status status = catalogue_.check(made.events); !status) return answer(invalid(status.error().text));
  if (registry_.of_tenant(made.tenant).size() >= kMaxPerTenant)
    return answer(http::error(409, "conflict", "a tenant has at most 100 subscriptions: delete one first"));
  store_.create(made, request.username,
                alive_.bind([this, request, id = made.id, secret = made.secret,
                             answer = std::move(answer)](const Status& status) mutable {
                  const Subscription* subscription = registry_.find(id);
                  if (!status) return answer(failed(status));
                  if (subscription == nullptr) return answer(missing());
                  audit(log_, request, "subscription created", *subscription);
                  Response response = http::ok(subscription_json(*subscription, catalogue_, secret));
                  response.status = 201;
                  answer(std::move(response));
                }));
}

void SubscriptionRoutes::change(const Request& request, Answer answer) {
  const Subscription* subscription = find(request);
  if (subscription == nullptr) return answer(missing());
  const JsonView url = request.json()["url"];
  const JsonView events = request.json()["events"];
  // `active` is state, not definition, so it may also change for configured subscriptions.
  if (subscription->from_config && (!url.is_null() || !events.is_null())) return answer(read_only());
  SubscriptionStore::Change change;
  change.url = url.text(subscription->url);
  change.events = events.is_null() ? subscription->events : read_events(events);
  change.active = request.json().boolean("active", subscription->active);
  if (Status status = check_receiver_url(change.url, settings_.allows_private(request.tenant)); !status)
    return answer(invalid("url " + status.error().text));
  if (!events.is_null()) {
    if (Status status = catalogue_.check(change.events); !status) return answer(invalid(status.error().text));
  }
  store_.change(*subscription, std::move(change),
                alive_.bind([this, request, id = subscription->id,
                             answer = std::move(answer)](const Status& status) mutable {
                  if (!status) return answer(failed(status));
                  const Subscription* changed = registry_.find(id);
                  if (changed == nullptr) return answer(missing());
                  audit(log_, request, "subscription changed", *changed);
                  dispatcher_.wake(id);
                  answer(http::ok(subscription_json(*changed, catalogue_)));
                }));
}

void SubscriptionRoutes::remove(const Request& request, Answer answer) {
  const Subscription* subscription = find(request);
  if (subscription == nullptr) return answer(missing());
  if (subscription->from_config) return answer(read_only());
  audit(log_, request, "subscription deleted", *subscription);
  std::string deleted = "{\"deleted\":" + subscription_json(*subscription, catalogue_) + "}";
  store_.remove(*subscription,
                [deleted = std::move(deleted), answer = std::move(answer)](const Status& status) mutable {
                  if (!status) return answer(failed(status));
                  answer(http::ok(std::move(deleted)));
                });
}

void SubscriptionRoutes::rotate(const Request& request, Answer answer) {
  const Subscription* subscription = find(request);
  if (subscription == nullptr) return answer(missing());
  if (subscription->from_config) return answer(read_only());
  const auto made = read_secret(request.json());
  if (!made) return answer(no_secret(made.error()));
  if (subscription->secrets.size() >= kMaxSecrets)
    return answer(http::error(409, "conflict", "the secret was rotated too often: try again in a day"));
  const std::string& secret = *made;
  store_.rotate(*subscription, secret,
                alive_.bind([this, request, id = subscription->id, secret,
                             answer = std::move(answer)](const Status& status) mutable {
                  if (!status) return answer(failed(status));
                  const Subscription* rotated = registry_.find(id);
                  if (rotated == nullptr) return answer(missing());
                  audit(log_, request, "subscription secret rotated", *rotated);
                  answer(http::ok(subscription_json(*rotated, catalogue_, secret)));
                }));
}

void SubscriptionRoutes::test(const Request& request, Answer answer) {
  const Subscription* subscription = find(request);
  if (subscription == nullptr) return answer(missing());
  fan_out_.test(*subscription, request.username,
                [answer = std::move(answer)](const Result<std::string>& id) mutable {
                  if (!id) return answer(id.error());
                  JsonWriter body;
                  body.object().member("ok", true).member("deliveryId", *id).end();
                  answer(http::ok(std::move(body).str()));
                });
}

void SubscriptionRoutes::deliveries(const Request& request, Answer answer) {
  const Subscription* subscription = find(request);
  if (subscription == nullptr) return answer(missing());
  query(host_, count_, {subscription->id, subscription->tenant},
        alive_.bind([this, request, id = subscription->id,
                     answer = std::move(answer)](const Result<Rows>& rows) mutable {
          if (!rows) return answer(rows.error());
          deliveries_page(id, request, rows->integer(0, 0), std::move(answer));
        }));
}

void SubscriptionRoutes::deliveries_page(const std::string& id, const Request& request, int64_t total,
                                         Answer answer) {
  query(host_, list_, {id, request.tenant, request.limit, request.offset},
        [total, answer = std::move(answer)](const Result<Rows>& rows) mutable {
          if (!rows) return answer(rows.error());
          JsonWriter body;
          body.object().key("data").array();
          for (size_t i = 0; i < rows->size(); ++i) write_delivery(body, *rows, i);
          body.end().end();
          Response response = http::ok(std::move(body).str());
          response.total = total;
          answer(std::move(response));
        });
}

void SubscriptionRoutes::resend(const Request& request, Answer answer) {
  const Subscription* subscription = find(request);
  if (subscription == nullptr) return answer(missing());
  const std::string delivery = std::string(request.params.text("deliveryId"));
  Transaction tx(host_);
  tx.exec(resend_, {delivery, subscription->id, host_.wall_ms(), subscription->tenant});
  std::move(tx).commit(alive_.bind(
      [this, id = subscription->id, delivery, answer = std::move(answer)](const Commit& outcome) mutable {
        if (!outcome) return answer(outcome.error());
        if (outcome.result(0).empty())
          return answer(http::error(404, "not_found", "no such delivery, or it has not ended yet"));
        dispatcher_.wake(id);
        JsonWriter body;
        body.object().member("ok", true).member("deliveryId", delivery).end();
        answer(http::ok(std::move(body).str()));
      }));
}

}  // namespace patchbay::webhooks
